"""Requests with personal tokens, before they reach the API: which pass, as which user, and at which address."""

import json
from typing import Any

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from satchel.domain.users import Identity
from satchel.entrypoints.http.personal_tokens import TOKEN_IDENTITY, PersonalTokens, personal_token

ADA = Identity(name="ada")
VALID, WRONG = "satchel_valid", "satchel_wrong"
BY_TOKEN = "/api/by-token"
REFUSED = {
    "type": "about:blank",
    "title": "Unauthorized",
    "status": 401,
    "detail": "The personal token is missing or wrong, has expired or was revoked.",
    "error_code": "E_UNAUTHORIZED",
}


class FakeApp:
    """An ASGI application that records its scopes and answers."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)
        await send(await receive())


def scope_of(path: str = "/api/me", *values: str, method: str = "GET", **fields: object) -> Scope:
    """Return the scope of a request with these values of the header Authorization."""
    headers = [(b"accept", b"*/*"), *((b"authorization", value.encode("latin-1")) for value in values)]
    return {"type": "http", "method": method, "path": path, "raw_path": b"raw", "headers": headers, **fields}


def send_request(scope: Scope) -> tuple[list[Scope], list[Message]]:
    """Send a request through the middleware. Return the scopes that the API gets, and the messages of the response."""
    app, sent = FakeApp(), list[Message]()

    async def receive() -> Message:
        return {"type": "body"}

    async def send(message: Message) -> None:
        sent.append(message)

    anyio.run(PersonalTokens(app, {VALID: ADA, WRONG: None}.__getitem__), scope, receive, send)
    return app.scopes, sent


def passed(scope: Scope) -> Scope:
    """Return the scope with which a request reaches the API."""
    [reached], sent = send_request(scope)
    assert sent == [{"type": "body"}]
    return reached


def refusal(scope: Scope) -> tuple[int, Any, dict[bytes, bytes]]:
    """Return status, body and headers of the response to a request that does not reach the API."""
    reached, [start, body] = send_request(scope)
    assert reached == []
    return start["status"], json.loads(body["body"]), dict(start["headers"])


@pytest.mark.parametrize("value", ["Bearer satchel_x", "bearer satchel_x", "BEARER  satchel_x "])
def test_token_is_read_from_the_header(value: str) -> None:
    assert personal_token(scope_of("/", value)) == "satchel_x"


def test_token_is_read_from_a_header_in_capitals_and_may_have_any_bytes() -> None:
    assert personal_token({"headers": [(b"Authorization", b"Bearer satchel_\xe9")]}) == "satchel_é"


@pytest.mark.parametrize(
    "values",
    [
        [],
        [""],
        ["satchel_x"],
        ["Bearer"],
        ["Bearer key"],
        ["Bearer x satchel_x"],
        ["Basic satchel_x"],
        ["Bearer SATCHEL_x"],
        ["Bearer\tsatchel_x"],
        ["Bearer satchel_x", "Bearer satchel_x"],
        ["Bearer satchel_x", "Bearer key"],
    ],
)
def test_request_with_other_or_several_values_has_no_token(values: list[str]) -> None:
    assert personal_token(scope_of("/", *values)) is None


def test_other_headers_have_no_token() -> None:
    assert personal_token({"headers": [(b"x-authorization", b"Bearer satchel_x")]}) is None


def test_request_with_a_token_acts_as_its_user() -> None:
    scope = scope_of("/api/me", f"Bearer {VALID}", query_string=b"a=b")
    assert passed(scope) == {**scope, TOKEN_IDENTITY: ADA}


def test_request_with_a_token_at_the_address_for_tokens_reaches_the_operation() -> None:
    scope = scope_of(f"{BY_TOKEN}/api/files/é", f"Bearer {VALID}")
    expected = {"path": "/api/files/é", "raw_path": "/api/files/é".encode(), TOKEN_IDENTITY: ADA}
    assert passed(scope) == {**scope, **expected}


def test_similar_address_with_a_token_is_unchanged() -> None:
    scope = scope_of(f"{BY_TOKEN}s/api/me", f"Bearer {VALID}")
    assert passed(scope) == {**scope, TOKEN_IDENTITY: ADA}


def test_request_without_a_raw_path_has_none_later() -> None:
    scope = scope_of("/api/me", f"Bearer {VALID}")
    del scope["raw_path"]
    assert passed(scope) == {**scope, "raw_path": None, TOKEN_IDENTITY: ADA}


@pytest.mark.parametrize("value", [[], ["Bearer key"]])
def test_request_without_a_token_passes_unchanged(value: list[str]) -> None:
    scope = scope_of("/api/me", *value)
    assert passed(scope) is scope


@pytest.mark.parametrize("path", [BY_TOKEN, f"{BY_TOKEN}s/api/me", f"/x{BY_TOKEN}/api/me"])
def test_similar_addresses_are_not_the_one_for_tokens(path: str) -> None:
    scope = scope_of(path)
    assert passed(scope) is scope


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
def test_scope_that_is_not_http_passes_unchanged(kind: str) -> None:
    scope = {"type": kind}
    assert passed(scope) is scope


@pytest.mark.parametrize("path", ["/api/me", f"{BY_TOKEN}/api/me", "/api/health", f"{BY_TOKEN}/api/health"])
def test_wrong_token_is_refused_at_each_path(path: str) -> None:
    status, body, headers = refusal(scope_of(path, f"Bearer {WRONG}"))
    assert (status, body) == (401, REFUSED)
    assert headers[b"www-authenticate"] == b"Bearer"


@pytest.mark.parametrize("values", [[], ["Bearer key"], [f"Bearer {VALID}", f"Bearer {VALID}"]])
def test_request_without_a_token_is_refused_at_the_address_for_tokens(values: list[str]) -> None:
    assert refusal(scope_of(f"{BY_TOKEN}/api/me", *values))[:2] == (401, REFUSED)


def test_public_operation_needs_no_token_at_the_address_for_tokens() -> None:
    scope = scope_of(f"{BY_TOKEN}/api/health")
    expected = {"path": "/api/health", "raw_path": b"/api/health", TOKEN_IDENTITY: None}
    assert passed(scope) == {**scope, **expected}


def test_public_operation_needs_a_token_if_it_is_not_read() -> None:
    assert refusal(scope_of(f"{BY_TOKEN}/api/health", method="POST"))[0] == 401
