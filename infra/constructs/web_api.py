"""The API Gateway HTTP API, whose requests the api function answers."""

import json
from collections.abc import Sequence
from typing import cast

from aws_cdk import Stack
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.constructs.monitoring import log_group
from infra.settings import Settings

_GET, _HEAD, _ANY = apigateway.HttpMethod.GET, apigateway.HttpMethod.HEAD, apigateway.HttpMethod.ANY

PUBLIC_KEYS_PATH = "/.well-known/jwks.json"
# The only routes without sign-in: health check, OpenAPI document, public keys, downloads, whose links contain a signed
# token, and shared conversations, whose links contain a secret.
OPEN_ROUTES = (
    (PUBLIC_KEYS_PATH, [_GET]),
    ("/api/health", [_GET]),
    ("/api/openapi.json", [_GET]),
    ("/api/files/download/{file_key}", [_GET, _HEAD]),
    ("/api/shared-chat", [_GET]),
)

BY_TOKEN_PATH = "/api/by-token"  # noqa: S105  (a path)
"""The routes below it are those of the API for programs with a personal token, which an authorizer cannot verify."""

# Never log the query string: it contains secrets (tokens of download links, tickets of WebSocket connections).
_LOG_FIELDS = {
    name: f"$context.{variable}"
    for name, variable in {
        "at": "requestTime",
        "request": "requestId",
        "method": "httpMethod",
        "path": "path",
        "route": "routeKey",
        "status": "status",
        "bytes": "responseLength",
        "ms": "responseLatency",
        "agent": "identity.userAgent",
        "from": "identity.sourceIp",
        "refused": "authorizer.error",
        "failed": "integrationErrorMessage",
    }.items()
}


class WebApi(Construct):
    """The HTTP API. One function answers all routes, and API Gateway validates users' tokens before invoking it."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings) -> None:
        super().__init__(scope, id_)
        self._api = apigateway.HttpApi(
            self,
            "Http",
            api_name=settings.name,
            create_default_stage=False,
            cors_preflight=_cors(settings.web_origins) if settings.web_origins else None,
        )
        logs = log_group(self, "Log", days=settings.log_retention)
        stage = apigateway.HttpStage(
            self,
            "Stage",
            http_api=self._api,
            auto_deploy=True,
            throttle=apigateway.ThrottleSettings(rate_limit=settings.requests_per_second, burst_limit=settings.burst),
        )
        # HttpStage's log property accepts only log formats for REST APIs, so set it on the CloudFormation resource.
        resource = cast("apigateway.CfnStage", stage.node.default_child)
        resource.access_log_settings = apigateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=logs.log_group_arn, format=json.dumps(_LOG_FIELDS)
        )

    @property
    def api_id(self) -> str:
        """Return the API's id, which identifies the API in CloudWatch metrics."""
        return self._api.api_id

    @property
    def host(self) -> str:
        """Return the host name that API Gateway assigned to the API."""
        return f"{self._api.api_id}.execute-api.{Stack.of(self).region}.{Stack.of(self).url_suffix}"

    def serve(self, function: lambda_.IFunction, *, issuer: str, audience: Sequence[str]) -> None:
        """Let this function answer all requests.

        All routes except ``OPEN_ROUTES`` require a token from the issuer or, below ``BY_TOKEN_PATH``, a personal token.
        """
        integration = integrations.HttpLambdaIntegration("Function", function)
        no_authorizer = apigateway.HttpNoneAuthorizer()
        for path, methods in OPEN_ROUTES:
            for route in self._api.add_routes(
                path=path, methods=methods, integration=integration, authorizer=no_authorizer
            ):
                acknowledge(
                    route,
                    AwsSolutions_APIG4="health, document and keys are public, and links contain a token",
                )
        for route in self._api.add_routes(
            path=f"{BY_TOKEN_PATH}/{{proxy+}}", methods=[_ANY], integration=integration, authorizer=no_authorizer
        ):
            acknowledge(
                route, AwsSolutions_APIG4="the function verifies personal tokens, and accepts nothing else here"
            )
        signed_in = authorizers.HttpJwtAuthorizer("SignedIn", issuer, jwt_audience=list(audience))
        self._api.add_routes(path="/api/{proxy+}", methods=[_ANY], integration=integration, authorizer=signed_in)

    def serve_page(self, function: lambda_.IFunction) -> None:
        """Let this function answer GET and HEAD requests for all other paths, without sign-in: the page is public."""
        integration = integrations.HttpLambdaIntegration("Page", function)
        for path in ("/", "/{proxy+}"):
            for route in self._api.add_routes(
                path=path, methods=[_GET, _HEAD], integration=integration, authorizer=apigateway.HttpNoneAuthorizer()
            ):
                acknowledge(route, AwsSolutions_APIG4="the page is public and contains no data")


_API_HEADERS = ("idempotency-key", "if-match", "if-none-match", "if-range", "prefer", "range", "x-satchel-confirm")
_READABLE_HEADERS = (
    *("accept-ranges", "content-disposition", "content-range", "etag", "preference-applied", "retry-after"),
)


def _cors(origins: Sequence[str]) -> apigateway.CorsPreflightOptions:
    return apigateway.CorsPreflightOptions(
        allow_origins=list(origins),
        allow_methods=[apigateway.CorsHttpMethod.ANY],
        allow_headers=["authorization", "content-type", *_API_HEADERS],
        expose_headers=list(_READABLE_HEADERS),
    )
