"""The HTTP API: routes, authorization, throttling, access logs, CORS."""

import json
from typing import Any

import pytest

from local.emulator.openapi import openapi_document
from satchel.entrypoints.http.public_paths import BY_TOKEN_PATH
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth

OPEN = {
    "GET /.well-known/jwks.json",
    "GET /api/health",
    "GET /api/openapi.json",
    "GET /api/files/download/{file_key}",
    "HEAD /api/files/download/{file_key}",
    "GET /api/shared-chat",
    f"ANY {BY_TOKEN_PATH}/{{proxy+}}",  # the API itself requires a personal token there
}


def _of_http(stacks: Stacks, kind: str) -> dict[str, dict[str, Any]]:
    """Return the resources of a type that belong to the HTTP API, not to the WebSocket API."""
    return {name: each for name, each in stacks.properties(kind).items() if each["ApiId"] == "{WebHttp}"}


def test_all_routes_except_the_open_ones_require_sign_in(stacks: Stacks) -> None:
    routes = {route["RouteKey"]: route for route in _of_http(stacks, "AWS::ApiGatewayV2::Route").values()}
    assert routes.keys() == OPEN | {"ANY /api/{proxy+}"}
    assert {key for key, route in routes.items() if route["AuthorizationType"] == "NONE"} == OPEN
    authorized = routes["ANY /api/{proxy+}"]
    assert (authorized["AuthorizationType"], authorized["AuthorizerId"]) == ("JWT", "{WebHttpSignedIn}")


def test_authorizer_accepts_tokens_of_the_own_user_pool(stacks: Stacks) -> None:
    (authorizer,) = stacks.properties("AWS::ApiGatewayV2::Authorizer").values()
    issuer = "https://cognito-idp.{AWS::Region}.{AWS::URLSuffix}/{People}"
    assert authorizer["JwtConfiguration"] == {"Issuer": issuer, "Audience": ["{Client}"]}
    assert authorizer["IdentitySource"] == ["$request.header.Authorization"]


def test_only_administrators_create_users(stacks: Stacks) -> None:
    (pool,) = stacks.properties("AWS::Cognito::UserPool").values()
    assert pool["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}


def test_all_routes_invoke_the_api_function(stacks: Stacks) -> None:
    integrations = _of_http(stacks, "AWS::ApiGatewayV2::Integration")
    assert {each["IntegrationUri"] for each in integrations.values()} == {"{Api.Arn}"}
    targets = {route["Target"] for route in _of_http(stacks, "AWS::ApiGatewayV2::Route").values()}
    assert targets == {f"integrations/{{{name}}}" for name in integrations}


def test_requests_are_throttled(stacks: Stacks) -> None:
    (stage,) = _of_http(stacks, "AWS::ApiGatewayV2::Stage").values()
    assert stage["StageName"] == "$default"
    assert stage["DefaultRouteSettings"] == {"ThrottlingBurstLimit": 2000, "ThrottlingRateLimit": 1000}


def test_access_logs_contain_no_query_string_and_no_headers(stacks: Stacks) -> None:
    (stage,) = _of_http(stacks, "AWS::ApiGatewayV2::Stage").values()
    assert stage["AccessLogSettings"]["DestinationArn"] == "{WebLog.Arn}"
    logged = json.loads(stage["AccessLogSettings"]["Format"]).values()
    assert {"$context.path", "$context.status", "$context.requestId"} <= set(logged)
    assert [each for each in logged if "query" in each.lower() or "header" in each.lower()] == []


def test_cors_allows_the_configured_origins_only(stacks: Stacks, custom_settings: Stacks) -> None:
    assert "CorsConfiguration" not in stacks.properties("AWS::ApiGatewayV2::Api")["WebHttp"]
    cors = custom_settings.properties("AWS::ApiGatewayV2::Api")["WebHttp"]["CorsConfiguration"]
    assert cors["AllowOrigins"] == ["https://other.example"]


def test_cors_allows_all_request_headers_of_the_api(custom_settings: Stacks) -> None:
    """Browsers send no other header to another origin, for example not the confirmation of an erasure."""
    cors = custom_settings.properties("AWS::ApiGatewayV2::Api")["WebHttp"]["CorsConfiguration"]
    operations = [operation for path in openapi_document()["paths"].values() for operation in path.values()]
    parameters = [parameter for operation in operations for parameter in operation.get("parameters", [])]
    named = {parameter["name"].lower() for parameter in parameters if parameter["in"] == "header"}
    assert "x-satchel-confirm" in named
    assert named | {"authorization", "content-type"} <= set(cors["AllowHeaders"])
