"""The CloudFront distribution that serves the frame for apps of MCP servers, and nothing else."""

from collections.abc import Iterable

from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from constructs import Construct

from infra.app_sandbox import sandbox_function
from infra.constructs.checks import acknowledge
from infra.constructs.names import account_wide_name
from infra.settings import Settings

_NO_ORIGIN = "unused.invalid"
"""CloudFront requires an origin. The function answers all requests, so none reaches it."""


class AppSite(Construct):
    """A host name of its own for apps, so that they share no origin with the page. A function answers all requests."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings, pages: Iterable[str]) -> None:
        """Create the resources. ``pages`` are the origins whose page may show apps."""
        super().__init__(scope, id_)
        function = cloudfront.Function(
            self,
            "Function",
            function_name=account_wide_name(self),
            code=cloudfront.FunctionCode.from_inline(sandbox_function(pages)),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
        )
        self.distribution = cloudfront.Distribution(
            self,
            "Distribution",
            comment=f"{settings.name}: apps",
            default_behavior=cloudfront.BehaviorOptions(
                origin=origins.HttpOrigin(_NO_ORIGIN),
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
                cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
                function_associations=[
                    cloudfront.FunctionAssociation(
                        function=function, event_type=cloudfront.FunctionEventType.VIEWER_REQUEST
                    )
                ],
            ),
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
        )
        self.url = f"https://{self.distribution.distribution_domain_name}"
        acknowledge(
            self.distribution,
            AwsSolutions_CFR1="the frame is the same for everyone and contains no data",
            AwsSolutions_CFR2="a web ACL has a monthly price; the function reads no data and calls nothing",
            AwsSolutions_CFR3="its logs would contain the policies of apps, and nothing else",
            AwsSolutions_CFR4="CloudFront's own certificate sets the minimum",
            AwsSolutions_CFR5="no request reaches the origin",
        )
