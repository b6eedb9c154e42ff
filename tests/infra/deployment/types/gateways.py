"""API Gateway's HTTP and WebSocket APIs."""

from collections.abc import Callable

from tests.infra.deployment.types.kind import Client, Kind, Made, Properties

_NUMBERS = ("TimeoutInMillis", "AuthorizerResultTtlInSeconds")


def _part(operation: str, id_: str) -> Callable[[Properties, str, Client], Made]:
    """Return how a part is made by the operation that takes the template's properties as they are."""

    def make(properties: Properties, _name: str, client: Client) -> Made:
        numbers = {key: int(properties[key]) for key in _NUMBERS if key in properties}
        made = getattr(client("apigatewayv2"), operation)(**properties | numbers)
        return Made(made[id_], {id_: made[id_]})

    return make


def _api(properties: Properties, _name: str, client: Client) -> Made:
    made = client("apigatewayv2").create_api(**properties)
    return Made(made["ApiId"], {"ApiId": made["ApiId"], "ApiEndpoint": made["ApiEndpoint"]})


def _stage(properties: Properties, _name: str, client: Client) -> Made:
    limits = properties.pop("DefaultRouteSettings", {})
    client("apigatewayv2").create_stage(
        **properties, DefaultRouteSettings={k: float(v) if k == "ThrottlingRateLimit" else v for k, v in limits.items()}
    )
    return Made(properties["StageName"])


KINDS = (
    Kind("AWS::ApiGatewayV2::Api", _api, ("ApiId", "ApiEndpoint")),
    Kind("AWS::ApiGatewayV2::Authorizer", _part("create_authorizer", "AuthorizerId"), ("AuthorizerId",)),
    Kind("AWS::ApiGatewayV2::Integration", _part("create_integration", "IntegrationId")),
    Kind("AWS::ApiGatewayV2::Route", _part("create_route", "RouteId"), ("RouteId",)),
    Kind("AWS::ApiGatewayV2::RouteResponse", _part("create_route_response", "RouteResponseId")),
    Kind("AWS::ApiGatewayV2::Stage", _stage),
)
