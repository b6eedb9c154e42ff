"""A replacement for API Gateway: it uses the routes, functions and authorizers that the stacks created."""

import base64
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import boto3
import httpx2

from local.emulator.aws.lambda_host import InvocationResult
from local.emulator.aws.moto_patches import websocket_connections
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from satchel.domain.ids import ConnectionId
from tests.e2e.user_client import UserClient

Json = dict[str, Any]

_FUNCTION = re.compile(r":function:([\w-]+)")


@dataclass(frozen=True)
class Route:
    """A route of an API with its function, and the token issuer and audience if it requires sign-in."""

    key: str
    function: str
    issuer: str | None
    audience: tuple[str, ...]

    def matches(self, method: str, path: str) -> bool:
        """Return True if the route handles this request."""
        verb, _, pattern = self.key.partition(" ")
        parts = re.sub(r"\\{\w+\\\+\\}", ".+", re.escape(pattern))
        return verb in {"ANY", method} and re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", parts), path) is not None

    def admits(self, claims: Mapping[str, str] | None) -> bool:
        """Return True if the route's authorizer accepts these claims."""
        if self.issuer is None:
            return True
        return claims is not None and claims["iss"] == self.issuer and claims["aud"] in self.audience


def routes(protocol: str) -> list[Route]:
    """Return the routes of the API with this protocol, the most specific first."""
    client = boto3.client("apigatewayv2")
    (api,) = [each["ApiId"] for each in client.get_apis()["Items"] if each["ProtocolType"] == protocol]
    targets = {f"integrations/{each['IntegrationId']}": each for each in client.get_integrations(ApiId=api)["Items"]}
    created = [_route(client, api, each, targets) for each in client.get_routes(ApiId=api)["Items"]]
    return sorted(created, key=lambda route: ("+}" in route.key, "{" in route.key, -len(route.key)))


def _route(client: Any, api: str, route: Json, targets: Mapping[str, Json]) -> Route:  # noqa: ANN401  (a boto3 client)
    function = _FUNCTION.search(targets[route["Target"]]["IntegrationUri"])
    assert function is not None
    issuer, audience = None, ()
    if route.get("AuthorizationType") == "JWT":
        authorizer = client.get_authorizer(ApiId=api, AuthorizerId=route["AuthorizerId"])["JwtConfiguration"]
        issuer, audience = authorizer["Issuer"], tuple(authorizer["Audience"])
    return Route(route["RouteKey"], function[1], issuer, audience)


class HttpApiTransport(httpx2.BaseTransport):
    """An HTTP transport that invokes the function of the request's route."""

    def __init__(self, created_routes: Sequence[Route], claims: Mapping[str, str] | None) -> None:
        self._routes = created_routes
        self._claims = claims

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Find the route, check the claims, invoke the function and return its response."""
        path = request.url.path
        route = next((each for each in self._routes if each.matches(request.method, path)), None)
        if route is None:
            return httpx2.Response(404, json={"message": "Not Found"})
        if not route.admits(self._claims):
            return httpx2.Response(401, json={"message": "Unauthorized"})
        result = HOST.invoke(route.function, self._event(route, request))
        if result.failed:
            return httpx2.Response(500, json={"message": "Internal Server Error"}, extensions={"error": result.payload})
        return _response(result)

    def _event(self, route: Route, request: httpx2.Request) -> Json:
        body = request.read()
        authorizer = {"authorizer": {"jwt": {"claims": dict(self._claims or {}), "scopes": None}}}
        http = {"method": request.method, "path": request.url.path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1"}
        return {
            "version": "2.0",
            "routeKey": route.key,
            "rawPath": request.url.path,
            "rawQueryString": request.url.query.decode(),
            "headers": {name.lower(): value for name, value in request.headers.items()},
            "requestContext": {
                "http": {**http, "userAgent": "tests"},
                "stage": "$default",
                "requestId": secrets.token_hex(8),
                **(authorizer if route.issuer else {}),
            },
            "body": base64.b64encode(body).decode(),
            "isBase64Encoded": True,
        }


def _response(result: InvocationResult) -> httpx2.Response:
    response: Json = json.loads(result.payload)
    body = response["body"]
    content = base64.b64decode(body) if response["isBase64Encoded"] else body.encode()
    return httpx2.Response(response["statusCode"], headers=response["headers"], content=content)


@dataclass(frozen=True)
class SignedInUser(UserClient):
    """A user who signed in with the deployed user pool."""

    created_routes: Sequence[Route] = ()

    def client(self) -> httpx2.Client:
        """Return a client whose requests have the claims of an id token."""
        issuer, audience = next((route.issuer, route.audience[0]) for route in self.created_routes if route.issuer)
        claims = {
            "iss": str(issuer),
            "aud": audience,
            "email": self.name,
            "email_verified": "true",
            "token_use": "id",
            "cognito:groups": f"[{self.groups}]",
        }
        return httpx2.Client(base_url=self.url, transport=HttpApiTransport(self.created_routes, claims), timeout=60)


class SocketClient:
    """A client of the WebSocket API. ``messages`` are those that the functions sent, in order."""

    def __init__(self, created_routes: Sequence[Route]) -> None:
        self.messages: list[Json] = []
        self.id = f"{secrets.token_urlsafe(11)}="
        self._functions = {route.key: route.function for route in created_routes}

    def connect(self, ticket: str, origin: str) -> int:
        """Connect with a ticket and return the status."""
        answer = self._invoke("$connect", queryStringParameters={"ticket": ticket}, headers={"origin": origin})
        if answer["statusCode"] == httpx2.codes.OK:
            websocket_connections.register(ConnectionId(self.id), self)
        return int(answer["statusCode"])

    def request(self, message: Json) -> Json:
        """Send a message and return the response."""
        answer = self._invoke("$default", body=json.dumps(message), isBase64Encoded=False)
        response: Json = json.loads(answer["body"]) if answer.get("body") else {}
        return response

    def disconnect(self) -> None:
        """Close the connection as the client does."""
        websocket_connections.unregister(ConnectionId(self.id))
        self._invoke("$disconnect")

    def send(self, text: str) -> bool:
        """Receive a pushed message."""
        self.messages.append(json.loads(text))
        return True

    def close(self) -> None:
        """Lose the connection: the functions are not informed."""
        websocket_connections.unregister(ConnectionId(self.id))

    def _invoke(self, route: str, **fields: object) -> Json:
        context = {"routeKey": route, "connectionId": self.id, "requestId": secrets.token_hex(8)}
        result = HOST.invoke(self._functions[route], {"requestContext": context, **fields})
        assert not result.failed, result.payload
        answer: Json = json.loads(result.payload)
        return answer


def origin_of(url: str) -> str:
    """Return the origin of a page with this URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
