"""The page and the API under one host: CloudFront before a bucket, the HTTP API and the WebSocket API."""

from collections.abc import Mapping

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.settings import Settings

_ORIGIN_TIMEOUT = Duration.seconds(35)  # API Gateway answers for a function after 30 s at the latest
_WRITTEN_ANEW = frozenset(
    (
        "Content-Security-Policy",
        "Referrer-Policy",
        "Strict-Transport-Security",
        "X-Content-Type-Options",
        "X-Frame-Options",
    )
)
"""Headers that CloudFront takes in words of its own, and no other way."""


class Site(Construct):
    """What a browser is given. The page's bucket holds nothing that a deployment would not write again."""

    def __init__(
        self, scope: Construct, id_: str, *, settings: Settings, api: str, sockets: str, headers: Mapping[str, str]
    ) -> None:
        """Make it before the hosts ``api`` and ``sockets``; the page goes with ``headers``."""
        super().__init__(scope, id_)
        self.bucket = _bucket(self)
        domain, arn = settings.domain, settings.certificate_arn
        self.distribution = cloudfront.Distribution(
            self,
            "Distribution",
            comment=f"{settings.name}: page and API",
            default_root_object="index.html",
            default_behavior=cloudfront.BehaviorOptions(
                origin=origins.S3BucketOrigin.with_origin_access_control(self.bucket),
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
                response_headers_policy=_headers_policy(self, f"{settings.name}-page", headers),
            ),
            additional_behaviors={"/api/*": _passed_on(api), "/ws": _passed_on(sockets)},
            domain_names=[domain] if domain else None,
            certificate=acm.Certificate.from_certificate_arn(self, "Certificate", arn) if arn else None,
            minimum_protocol_version=cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
        )
        self.host = domain or self.distribution.distribution_domain_name
        acknowledge(
            self.distribution,
            AwsSolutions_CFR1="who may come in is said by signing in, not by countries",
            AwsSolutions_CFR2="a web ACL costs by the month; the APIs are throttled and nothing but files is open",
            AwsSolutions_CFR3="its logs hold query strings, in which links carry permissions and sockets tickets; the "
            "API logs the same requests without them",
            AwsSolutions_CFR4="without a domain of one's own CloudFront's certificate decides; with one TLS 1.2 is the "
            "least",
        )


def _passed_on(host: str) -> cloudfront.BehaviorOptions:
    """Pass everything on as it came but the host's name, by which API Gateway would look for another API."""
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


def _headers_policy(scope: Construct, name: str, headers: Mapping[str, str]) -> cloudfront.IResponseHeadersPolicy:
    """Make it of plain headers: some of them CloudFront takes in words of its own only."""
    part = cloudfront.CfnResponseHeadersPolicy
    lasts, _, covers = headers["Strict-Transport-Security"].removeprefix("max-age=").partition("; ")
    own_words = part.SecurityHeadersConfigProperty(
        content_security_policy=part.ContentSecurityPolicyProperty(
            content_security_policy=headers["Content-Security-Policy"], override=True
        ),
        content_type_options=part.ContentTypeOptionsProperty(override=True),
        frame_options=part.FrameOptionsProperty(frame_option=headers["X-Frame-Options"], override=True),
        referrer_policy=part.ReferrerPolicyProperty(referrer_policy=headers["Referrer-Policy"], override=True),
        strict_transport_security=part.StrictTransportSecurityProperty(
            access_control_max_age_sec=int(lasts), include_subdomains=covers == "includeSubDomains", override=True
        ),
    )
    others = [
        part.CustomHeaderProperty(header=header, value=value, override=True)
        for header, value in sorted(headers.items())
        if header not in _WRITTEN_ANEW
    ]
    made = part(
        scope,
        "Headers",
        response_headers_policy_config=part.ResponseHeadersPolicyConfigProperty(
            name=name,
            security_headers_config=own_words,
            custom_headers_config=part.CustomHeadersConfigProperty(items=others),
        ),
    )
    return cloudfront.ResponseHeadersPolicy.from_response_headers_policy_id(scope, "HeadersById", made.ref)


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
    acknowledge(bucket, AwsSolutions_S1="it holds the page, which everybody may read, and only CloudFront fetches it")
    return bucket
