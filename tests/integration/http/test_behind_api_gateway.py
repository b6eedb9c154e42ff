"""The way in on AWS: API Gateway's event, Mangum, the application, and back."""

import asyncio
import base64
import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from mangum import Mangum

from satchel.entrypoints.http.identity import from_claims
from tests.integration.http.world import World

CLAIMS = {"email": "Ada@Example.com", "email_verified": "true", "cognito:groups": "[writers admins]", "token_use": "id"}


def event(method: str, path: str, body: str | None = None, **more: Any) -> dict[str, Any]:  # noqa: ANN401  (parts of it)
    raw, _, query = path.partition("?")
    headers = {"host": "abc.execute-api.eu-central-1.amazonaws.com", "content-type": "application/json"}
    return {
        "version": "2.0",
        "routeKey": "ANY /api/{proxy+}",
        "rawPath": raw,
        "rawQueryString": query,
        "headers": headers | more.pop("headers", {}),
        "requestContext": {
            "http": {"method": method, "path": raw, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "x"},
            "authorizer": {"jwt": {"claims": CLAIMS, "scopes": None}},
            "stage": "$default",
            "requestId": "r",
        },
        "body": body,
        "isBase64Encoded": False,
        **more,
    }


@pytest.fixture
def handler(world: World) -> Iterator[Mangum]:
    """Mangum takes the loop of the thread, which lives as long as the function does."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield Mangum(world.app(from_claims("email")), lifespan="off")
    asyncio.set_event_loop(None)
    loop.close()


def ask(handler: Mangum, *args: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401  (parts of an event)
    answer: dict[str, Any] = handler(event(*args, **more), cast("Any", None))
    return answer


def body_of(answer: dict[str, Any]) -> bytes:
    """What API Gateway sends on."""
    return base64.b64decode(answer["body"]) if answer["isBase64Encoded"] else str(answer["body"]).encode()


def read(answer: dict[str, Any]) -> Any:  # noqa: ANN401  (any JSON)
    return json.loads(body_of(answer))


def test_the_authorizers_claims_say_who_asks(handler: Mangum) -> None:
    answer = ask(handler, "GET", "/api/config")

    assert answer["statusCode"] == 200
    told = read(answer)
    assert (told["user"], told["groups"]) == ("ada@example.com", ["admins", "users", "writers"])


def test_a_problem_says_what_it_is(handler: Mangum) -> None:
    answer = ask(handler, "GET", "/api/sessions/x")

    assert answer["statusCode"] == 404
    assert answer["headers"]["content-type"] == "application/problem+json"
    assert read(answer)["error_code"] == "E_SESSION_NOT_FOUND"


@pytest.mark.parametrize("mime", ["application/octet-stream", "text/csv", "application/json", "image/png"])
@pytest.mark.parametrize(
    "body", [bytes(range(256)), "größe\r\n".encode(), b"", "größe".encode("latin-1"), b"\xef\xbb\xbfa"]
)
def test_bytes_go_in_as_a_form_and_come_out_as_they_were(handler: Mangum, mime: str, body: bytes) -> None:
    head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: {mime}\r\n\r\n'
    uploaded = ask(
        handler,
        "POST",
        "/api/files",
        base64.b64encode(head.encode() + body + b"\r\n--b--\r\n").decode(),
        headers={"content-type": "multipart/form-data; boundary=b"},
        isBase64Encoded=True,
    )

    answer = ask(handler, "GET", read(uploaded)["download_url"])

    assert (answer["statusCode"], answer["headers"]["content-type"]) == (200, mime)
    assert body_of(answer) == body


def test_a_turn_is_taken(world: World, handler: Mangum) -> None:
    world.workflow.on_start = world.answer
    session_id = read(ask(handler, "POST", "/api/sessions", "{}"))["session_id"]

    answer = ask(
        handler,
        "POST",
        f"/api/sessions/{session_id}/turns",
        json.dumps({"message": "grün"}),
        headers={"prefer": "wait=5"},
    )

    assert (answer["statusCode"], read(answer)["status"]) == (200, "complete")


def test_what_breaks_is_still_a_problem(world: World, handler: Mangum, caplog: pytest.LogCaptureFixture) -> None:
    uploaded = read(ask(handler, "POST", "/api/files", json.dumps({"name": "a", "b64": "AAEC"})))
    kept = world.store.bucket
    try:
        object.__setattr__(world.store, "bucket", "no-such-bucket-of-ours")
        answer = ask(handler, "GET", f"/api/files/{uploaded['file_key']}")
    finally:
        object.__setattr__(world.store, "bucket", kept)

    assert answer["statusCode"] == 500
    assert read(answer)["error_code"] == "E_INTERNAL"
    assert "NoSuchBucket" in caplog.text
