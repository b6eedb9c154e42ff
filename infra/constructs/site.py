"""The CloudFront distribution that serves the page, the HTTP API and the WebSocket API under one host name."""

from collections.abc import Mapping

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.constructs.names import account_wide_name
from infra.constructs.web_api import PUBLIC_KEYS_PATH
from infra.settings import Settings

_ORIGIN_TIMEOUT = Duration.seconds(35)  # exceeds API Gateway's timeout (30 s), so clients see that timeout's error
_SECURITY_HEADERS = frozenset(
    (
        "Content-Security-Policy",
        "Referrer-Policy",
        "Strict-Transport-Security",
        "X-Content-Type-Options",
        "X-Frame-Options",
    )
)
"""Headers that CloudFront sets through dedicated properties. CloudFront rejects these headers as custom headers."""


class Site(Construct):
    """The CloudFront distribution and the page's bucket. Each deployment rewrites all files in the bucket."""

    def __init__(
        self, scope: Construct, id_: str, *, settings: Settings, api: str, sockets: str, headers: Mapping[str, str]
    ) -> None:
        """Create the resources. ``api`` and ``sockets`` are host names, ``headers`` are the page's HTTP headers."""
        super().__init__(scope, id_)
        self.bucket = _bucket(self)
        domain, arn = settings.domain, settings.certificate_arn
        self.distribution = cloudfront.Distribution(
            self,
            "Distribution",
            comment=f"{settings.name}: page and API",
            default_root_object="index.html",
            default_behavior=cloudfront.BehaviorOptions(
                origin=origins.S3BucketOrigin.with_origin_access_control(
                    self.bucket, origin_access_control=_access_control(self)
                ),
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
                response_headers_policy=_headers_policy(self, account_wide_name(self), headers),
            ),
            additional_behaviors={
                "/api/*": _api_behavior(api),
                "/ws": _api_behavior(sockets),
                PUBLIC_KEYS_PATH: _public_keys_behavior(api),
            },
            domain_names=[domain] if domain else None,
            certificate=acm.Certificate.from_certificate_arn(self, "Certificate", arn) if arn else None,
            minimum_protocol_version=cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
        )
        self.host = domain or self.distribution.distribution_domain_name
        acknowledge(
            self.distribution,
            AwsSolutions_CFR1="access depends on sign-in, not on the country",
            AwsSolutions_CFR2="a web ACL has a monthly price; the APIs are throttled, and only the page is public",
            AwsSolutions_CFR3="its logs would contain query strings with the tokens of links and the tickets of "
            "connections; the API logs the same requests without them",
            AwsSolutions_CFR4="without the setting domain, CloudFront's own certificate sets the minimum; with it, the "
            "minimum is TLS 1.2",
        )


def _access_control(scope: Construct) -> cloudfront.S3OriginAccessControl:
    """Let CloudFront sign its requests to the page's bucket. By default, CDK's name for this lacks the region."""
    return cloudfront.S3OriginAccessControl(scope, "AccessControl", origin_access_control_name=account_wide_name(scope))


def _api_behavior(host: str) -> cloudfront.BehaviorOptions:
    """Forward requests without the browser's Host header, because API Gateway finds the API by its own host name."""
    return cloudfront.BehaviorOptions(
        origin=origins.HttpOrigin(
            host, protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY, read_timeout=_ORIGIN_TIMEOUT
        ),
        allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
        cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
        origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
        compress=False,
    )


def _public_keys_behavior(host: str) -> cloudfront.BehaviorOptions:
    """Cache the public keys for as long as the API's response permits. All clients share one cached response."""
    return cloudfront.BehaviorOptions(
        origin=origins.HttpOrigin(host, protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY),
        allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD,
        cache_policy=cloudfront.CachePolicy.CACHING_OPTIMIZED,
        viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
    )


def _headers_policy(scope: Construct, name: str, headers: Mapping[str, str]) -> cloudfront.IResponseHeadersPolicy:
    """Return a CloudFront policy that adds these headers to responses."""
    part = cloudfront.CfnResponseHeadersPolicy
    max_age, _, option = headers["Strict-Transport-Security"].removeprefix("max-age=").partition("; ")
    security_headers = part.SecurityHeadersConfigProperty(
        content_security_policy=part.ContentSecurityPolicyProperty(
            content_security_policy=headers["Content-Security-Policy"], override=True
        ),
        content_type_options=part.ContentTypeOptionsProperty(override=True),
        frame_options=part.FrameOptionsProperty(frame_option=headers["X-Frame-Options"], override=True),
        referrer_policy=part.ReferrerPolicyProperty(referrer_policy=headers["Referrer-Policy"], override=True),
        strict_transport_security=part.StrictTransportSecurityProperty(
            access_control_max_age_sec=int(max_age), include_subdomains=option == "includeSubDomains", override=True
        ),
    )
    custom_headers = [
        part.CustomHeaderProperty(header=header, value=value, override=True)
        for header, value in sorted(headers.items())
        if header not in _SECURITY_HEADERS
    ]
    policy = part(
        scope,
        "Headers",
        response_headers_policy_config=part.ResponseHeadersPolicyConfigProperty(
            name=name,
            security_headers_config=security_headers,
            custom_headers_config=part.CustomHeadersConfigProperty(items=custom_headers),
        ),
    )
    return cloudfront.ResponseHeadersPolicy.from_response_headers_policy_id(scope, "HeadersById", policy.ref)


def _bucket(scope: Construct) -> s3.Bucket:
    bucket = s3.Bucket(
        scope,
        "Files",
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        removal_policy=RemovalPolicy.DESTROY,
    )
    acknowledge(bucket, AwsSolutions_S1="it contains the public page, and only CloudFront reads it")
    return bucket
