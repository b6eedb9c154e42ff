"""The HTTP API in front of the api function."""

from collections.abc import Sequence

from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

_GET, _HEAD, _ANY = apigateway.HttpMethod.GET, apigateway.HttpMethod.HEAD, apigateway.HttpMethod.ANY

# Everything else is for people who are signed in. A download carries its permission in the link.
OPEN_ROUTES = (
    ("/api/health", [_GET]),
    ("/api/files/download/{file_key}", [_GET, _HEAD]),
)
_REQUESTS_PER_SECOND = 200
_BURST = 400


class WebApi(Construct):
    """One function behind all routes; the gateway checks who asks."""

    def __init__(
        self, scope: Construct, id_: str, *, name: str, issuer: str, audience: Sequence[str], origins: Sequence[str]
    ) -> None:
        super().__init__(scope, id_)
        self._authorizer = authorizers.HttpJwtAuthorizer("SignedIn", issuer, jwt_audience=list(audience))
        self._api = apigateway.HttpApi(
            self, "Http", api_name=name, create_default_stage=False, cors_preflight=_cors(origins) if origins else None
        )
        apigateway.HttpStage(
            self,
            "Stage",
            http_api=self._api,
            auto_deploy=True,
            throttle=apigateway.ThrottleSettings(rate_limit=_REQUESTS_PER_SECOND, burst_limit=_BURST),
        )

    @property
    def url(self) -> str:
        """Return the address without a slash at its end. Known before any function is, so functions may carry it."""
        return self._api.api_endpoint

    def serve(self, function: lambda_.IFunction) -> None:
        """Send all routes to this function."""
        integration = integrations.HttpLambdaIntegration("Function", function)
        anybody = apigateway.HttpNoneAuthorizer()
        for path, methods in OPEN_ROUTES:
            self._api.add_routes(path=path, methods=methods, integration=integration, authorizer=anybody)
        self._api.add_routes(path="/api/{proxy+}", methods=[_ANY], integration=integration, authorizer=self._authorizer)


def _cors(origins: Sequence[str]) -> apigateway.CorsPreflightOptions:
    return apigateway.CorsPreflightOptions(
        allow_origins=list(origins),
        allow_methods=[apigateway.CorsHttpMethod.ANY],
        allow_headers=["authorization", "content-type", "idempotency-key", "prefer"],
    )
