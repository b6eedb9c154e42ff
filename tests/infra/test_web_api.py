"""Who gets past the gateway."""

import json
from typing import Any

import pytest

from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
OPEN = {"GET /api/health", "GET /api/files/download/{file_key}", "HEAD /api/files/download/{file_key}"}


def _of_http(stacks: Stacks, kind: str) -> dict[str, dict[str, Any]]:
    """Return what belongs to the HTTP API; the one for sockets has its own."""
    return {name: each for name, each in stacks.of_type(kind).items() if each["ApiId"] == "{WebHttp}"}


def test_every_route_but_health_and_download_needs_a_sign_in(stacks: Stacks) -> None:
    routes = {route["RouteKey"]: route for route in _of_http(stacks, "AWS::ApiGatewayV2::Route").values()}
    assert routes.keys() == OPEN | {"ANY /api/{proxy+}"}
    assert {key for key, route in routes.items() if route["AuthorizationType"] == "NONE"} == OPEN
    closed = routes["ANY /api/{proxy+}"]
    assert (closed["AuthorizationType"], closed["AuthorizerId"]) == ("JWT", "{WebHttpSignedIn}")


def test_tokens_are_those_of_our_own_people(stacks: Stacks) -> None:
    (authorizer,) = stacks.of_type("AWS::ApiGatewayV2::Authorizer").values()
    assert authorizer["JwtConfiguration"] == {"Issuer": "{People.ProviderURL}", "Audience": ["{Client}"]}
    assert authorizer["IdentitySource"] == ["$request.header.Authorization"]


def test_nobody_signs_up_by_himself(stacks: Stacks) -> None:
    (people,) = stacks.of_type("AWS::Cognito::UserPool").values()
    assert people["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}


def test_all_routes_lead_to_the_api_function(stacks: Stacks) -> None:
    integrations = _of_http(stacks, "AWS::ApiGatewayV2::Integration")
    assert {each["IntegrationUri"] for each in integrations.values()} == {"{Api.Arn}"}
    targets = {route["Target"] for route in _of_http(stacks, "AWS::ApiGatewayV2::Route").values()}
    assert targets == {f"integrations/{{{name}}}" for name in integrations}


def test_requests_are_throttled(stacks: Stacks) -> None:
    (stage,) = _of_http(stacks, "AWS::ApiGatewayV2::Stage").values()
    assert stage["StageName"] == "$default"
    assert stage["DefaultRouteSettings"] == {"ThrottlingBurstLimit": 400, "ThrottlingRateLimit": 200}


def test_requests_are_logged_without_what_stands_behind_the_question_mark(stacks: Stacks) -> None:
    (stage,) = _of_http(stacks, "AWS::ApiGatewayV2::Stage").values()
    assert stage["AccessLogSettings"]["DestinationArn"] == "{WebLog.Arn}"
    logged = json.loads(stage["AccessLogSettings"]["Format"]).values()
    assert {"$context.path", "$context.status", "$context.requestId"} <= set(logged)
    assert [each for each in logged if "query" in each.lower() or "header" in each.lower()] == []


def test_pages_of_others_may_call_where_that_is_set(stacks: Stacks, choices: Stacks) -> None:
    assert "CorsConfiguration" not in stacks.of_type("AWS::ApiGatewayV2::Api")["WebHttp"]
    cors = choices.of_type("AWS::ApiGatewayV2::Api")["WebHttp"]["CorsConfiguration"]
    assert cors["AllowOrigins"] == ["https://other.example"]
