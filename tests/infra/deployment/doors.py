"""API Gateway before what was deployed: the routes, their functions and who may pass are what the stacks created."""

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

from local.aws.functions import Outcome
from local.aws.seams import connections
from local.aws.seams.lambda_invoke import HOST
from tests.e2e.person import Person

Json = dict[str, Any]

_FUNCTION = re.compile(r":function:([\w-]+)")


@dataclass(frozen=True)
class Route:
    """One route of an API: whom it asks for, and the function behind it."""

    key: str
    function: str
    issuer: str | None
    audience: tuple[str, ...]

    def fits(self, method: str, path: str) -> bool:
        """Tell whether a request belongs here."""
        verb, _, pattern = self.key.partition(" ")
        parts = re.sub(r"\\{\w+\\\+\\}", ".+", re.escape(pattern))
        return verb in {"ANY", method} and re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", parts), path) is not None

    def admits(self, claims: Mapping[str, str] | None) -> bool:
        """Tell whether somebody with these claims passes, as the authorizer of the route says."""
        if self.issuer is None:
            return True
        return claims is not None and claims["iss"] == self.issuer and claims["aud"] in self.audience


def routes(protocol: str) -> list[Route]:
    """Return the routes of the one API of a protocol, those first that say most."""
    client = boto3.client("apigatewayv2")
    (api,) = [each["ApiId"] for each in client.get_apis()["Items"] if each["ProtocolType"] == protocol]
    targets = {f"integrations/{each['IntegrationId']}": each for each in client.get_integrations(ApiId=api)["Items"]}
    found = [_route(client, api, each, targets) for each in client.get_routes(ApiId=api)["Items"]]
    return sorted(found, key=lambda route: ("+}" in route.key, "{" in route.key, -len(route.key)))


def _route(client: Any, api: str, route: Json, targets: Mapping[str, Json]) -> Route:  # noqa: ANN401  (a boto3 client)
    called = _FUNCTION.search(targets[route["Target"]]["IntegrationUri"])
    assert called is not None
    checked = route.get("AuthorizationType") == "JWT"
    issuer, audience = None, ()
    if checked:
        authorizer = client.get_authorizer(ApiId=api, AuthorizerId=route["AuthorizerId"])["JwtConfiguration"]
        issuer, audience = authorizer["Issuer"], tuple(authorizer["Audience"])
    return Route(route["RouteKey"], called[1], issuer, audience)


class HttpDoor(httpx2.BaseTransport):
    """The HTTP API, as a transport: everything that is asked of its address is asked of the function."""

    def __init__(self, known: Sequence[Route], claims: Mapping[str, str] | None) -> None:
        self._routes = known
        self._claims = claims

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Find the route, look who asks, call the function and give its answer."""
        path = request.url.path
        route = next((each for each in self._routes if each.fits(request.method, path)), None)
        if route is None:
            return httpx2.Response(404, json={"message": "Not Found"})
        if not route.admits(self._claims):
            return httpx2.Response(401, json={"message": "Unauthorized"})
        outcome = HOST.invoke(route.function, self._event(route, request))
        if outcome.failed:
            return httpx2.Response(500, json={"message": "Internal Server Error"}, extensions={"why": outcome.payload})
        return _response(outcome)

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


def _response(outcome: Outcome) -> httpx2.Response:
    said: Json = json.loads(outcome.payload)
    content = base64.b64decode(said["body"]) if said["isBase64Encoded"] else said["body"].encode()
    return httpx2.Response(said["statusCode"], headers=said["headers"], content=content)


@dataclass(frozen=True)
class Resident(Person):
    """Somebody who has signed in at the user pool that was deployed."""

    known: Sequence[Route] = ()

    def client(self) -> httpx2.Client:
        """Return a client whose requests come with the claims of an id token."""
        issuer, audience = next((route.issuer, route.audience[0]) for route in self.known if route.issuer)
        claims = {
            "iss": str(issuer),
            "aud": audience,
            "email": self.name,
            "email_verified": "true",
            "token_use": "id",
            "cognito:groups": f"[{self.groups}]",
        }
        return httpx2.Client(base_url=self.url, transport=HttpDoor(self.known, claims), timeout=60)


class SocketDoor:
    """A connection over the WebSocket API. ``said`` is what the functions sent, as it came."""

    def __init__(self, known: Sequence[Route]) -> None:
        self.said: list[Json] = []
        self.id = f"{secrets.token_urlsafe(11)}="
        self._functions = {route.key: route.function for route in known}

    def connect(self, ticket: str, origin: str) -> int:
        """Ask to come in; return the status."""
        answer = self._ask("$connect", queryStringParameters={"ticket": ticket}, headers={"origin": origin})
        if answer["statusCode"] == httpx2.codes.OK:
            connections.connect(self.id, self)
        return int(answer["statusCode"])

    def say(self, message: Json) -> Json:
        """Send a message and return its answer."""
        answer = self._ask("$default", body=json.dumps(message), isBase64Encoded=False)
        said: Json = json.loads(answer["body"]) if answer.get("body") else {}
        return said

    def leave(self) -> None:
        """End the connection."""
        connections.disconnect(self.id)
        self._ask("$disconnect")

    def send(self, text: str) -> bool:
        """Take what is pushed."""
        self.said.append(json.loads(text))
        return True

    def close(self) -> None:
        """Be ended by the other side."""
        connections.disconnect(self.id)

    def _ask(self, route: str, **given: object) -> Json:
        context = {"routeKey": route, "connectionId": self.id, "requestId": secrets.token_hex(8)}
        outcome = HOST.invoke(self._functions[route], {"requestContext": context, **given})
        assert not outcome.failed, outcome.payload
        answer: Json = json.loads(outcome.payload)
        return answer


def origin_of(url: str) -> str:
    """Return what a page of this address says that it comes from."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
