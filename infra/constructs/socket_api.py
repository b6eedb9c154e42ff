"""The API Gateway WebSocket API, whose events the sockets function handles."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.settings import Settings

_STAGE = "ws"
"""The stage name is the URL path of the API, so CloudFront can forward requests to ``/ws`` without rewriting them."""


class SocketApi(Construct):
    """The WebSocket API. One function handles all events, and checks the one-time ticket of each new connection."""

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

        no_logs = "access logs need an account-wide role; the function logs connections, without their tickets"
        acknowledge(self._stage, AwsSolutions_APIG1=no_logs, Serverless_APIGWAccessLogging=no_logs)
        tickets = "the function checks a one-time ticket on $connect; the other routes need an open connection"
        acknowledge(self._api, AwsSolutions_APIG4=tickets)

    @property
    def host(self) -> str:
        """Return the host name that API Gateway assigned to the API."""
        return f"{self._api.api_id}.execute-api.{Stack.of(self).region}.{Stack.of(self).url_suffix}"

    @property
    def url(self) -> str:
        """Return the URL to which clients connect (``wss://…``)."""
        return self._stage.url

    @property
    def endpoint(self) -> str:
        """Return the URL (``https://…``) to which functions send messages for connected clients."""
        return self._stage.callback_url

    def connections_arn(self, method: str) -> str:
        """Return the ARN of a method on all connections: ``POST`` sends a message, ``DELETE`` closes a connection."""
        return Stack.of(self).format_arn(
            service="execute-api",
            resource=self._api.api_id,
            resource_name=f"{_STAGE}/{method}/@connections/*",
            arn_format=ArnFormat.SLASH_RESOURCE_NAME,
        )

    def serve(self, function: lambda_.IFunction) -> None:
        """Let this function handle new connections, closed connections and messages."""
        for route in ("$connect", "$disconnect", "$default"):
            self._api.add_route(
                route,
                integration=integrations.WebSocketLambdaIntegration(f"{route[1:]}-function", function),
                return_response=route == "$default",
            )
