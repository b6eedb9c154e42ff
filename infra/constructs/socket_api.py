"""The WebSocket API in front of the sockets function."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.settings import Settings

_STAGE = "ws"
"""Also the path: behind the page's own host the stage is found where the page looks for it."""


class SocketApi(Construct):
    """Who connects brings a ticket, which the function takes; a message is answered over the connection."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings) -> None:
        super().__init__(scope, id_)
        self._api = apigateway.WebSocketApi(self, "Api", api_name=f"{settings.name}-sockets")
        self._stage = apigateway.WebSocketStage(
            self,
            "Stage",
            web_socket_api=self._api,
            stage_name=_STAGE,
            auto_deploy=True,
            throttle=apigateway.ThrottleSettings(rate_limit=settings.requests_per_second, burst_limit=settings.burst),
        )

        logged = "it would need a role for all of the account's APIs; the function logs what connects, without tickets"
        acknowledge(self._stage, AwsSolutions_APIG1=logged, Serverless_APIGWAccessLogging=logged)
        taken = "$connect takes a one-time ticket, which the function checks; the others come over what that opened"
        acknowledge(self._api, AwsSolutions_APIG4=taken)

    @property
    def host(self) -> str:
        """Return the host under which the API itself is found."""
        return f"{self._api.api_id}.execute-api.{Stack.of(self).region}.{Stack.of(self).url_suffix}"

    @property
    def url(self) -> str:
        """Return where connections are opened (``wss://…``)."""
        return self._stage.url

    @property
    def endpoint(self) -> str:
        """Return where connections are spoken to (``https://…``)."""
        return self._stage.callback_url

    def connections(self, method: str) -> str:
        """Return all connections, as what somebody may ``POST`` to or ``DELETE``."""
        return Stack.of(self).format_arn(
            service="execute-api",
            resource=self._api.api_id,
            resource_name=f"{_STAGE}/{method}/@connections/*",
            arn_format=ArnFormat.SLASH_RESOURCE_NAME,
        )

    def serve(self, function: lambda_.IFunction) -> None:
        """Send all routes to this function."""
        for route in ("$connect", "$disconnect", "$default"):
            self._api.add_route(
                route,
                integration=integrations.WebSocketLambdaIntegration(f"{route[1:]}-function", function),
                return_response=route == "$default",
            )
