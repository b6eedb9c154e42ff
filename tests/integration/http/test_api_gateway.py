"""Requests as API Gateway sends them: its event, Mangum, the application, the response."""

import asyncio
import base64
import gzip
import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from mangum import Mangum

from satchel.entrypoints.http.identity import identity_from_claims
from tests.integration.http.backend import Backend

CLAIMS = {"email": "Ada@Example.com", "email_verified": "true", "cognito:groups": "[writers admins]", "token_use": "id"}


def event(method: str, path: str, body: str | None = None, **fields: Any) -> dict[str, Any]:  # noqa: ANN401  (parts of an event)
    raw, _, query = path.partition("?")
    headers = {"host": "abc.execute-api.eu-central-1.amazonaws.com", "content-type": "application/json"}
    return {
        "version": "2.0",
        "routeKey": "ANY /api/{proxy+}",
        "rawPath": raw,
        "rawQueryString": query,
        "headers": headers | fields.pop("headers", {}),
        "requestContext": {
            "http": {"method": method, "path": raw, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "x"},
            "authorizer": {"jwt": {"claims": CLAIMS, "scopes": None}},
            "stage": "$default",
            "requestId": "r",
        },
        "body": body,
        "isBase64Encoded": False,
        **fields,
    }


@pytest.fixture
def handler(backend: Backend) -> Iterator[Mangum]:
    """A handler with its own event loop: Mangum uses the event loop of the thread."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield Mangum(backend.app(identity_from_claims("email")), lifespan="off")
    asyncio.set_event_loop(None)
    loop.close()


def send(handler: Mangum, *args: Any, **fields: Any) -> dict[str, Any]:  # noqa: ANN401  (parts of an event)
    response: dict[str, Any] = handler(event(*args, **fields), cast("Any", None))
    return response


def body_of(response: dict[str, Any]) -> bytes:
    """Return the body that API Gateway sends to the client."""
    return base64.b64decode(response["body"]) if response["isBase64Encoded"] else str(response["body"]).encode()


def read(response: dict[str, Any]) -> Any:  # noqa: ANN401  (any JSON)
    return json.loads(body_of(response))


def test_user_is_read_from_the_claims_of_the_authorizer(handler: Mangum) -> None:
    response = send(handler, "GET", "/api/config")

    assert response["statusCode"] == 200
    config = read(response)
    assert (config["user"], config["groups"]) == ("ada@example.com", ["admins", "users", "writers"])


def test_personal_token_needs_no_claims_at_the_address_without_an_authorizer(handler: Mangum) -> None:
    made, path = read(send(handler, "POST", "/api/me/tokens", '{"name": "program"}')), "/api/by-token/api/me"
    context = {key: value for key, value in event("GET", path)["requestContext"].items() if key != "authorizer"}
    headers = {"authorization": f"Bearer {made['token']}"}

    accepted = send(handler, "GET", path, headers=headers, requestContext=context)
    refused = send(handler, "GET", path, requestContext=context)

    assert (accepted["statusCode"], read(accepted)["user"]) == (200, "ada@example.com")
    assert (refused["statusCode"], read(refused)["error_code"]) == (401, "E_UNAUTHORIZED")


def test_problem_has_its_media_type(handler: Mangum) -> None:
    response = send(handler, "GET", "/api/sessions/x")

    assert response["statusCode"] == 404
    assert response["headers"]["content-type"] == "application/problem+json"
    assert read(response)["error_code"] == "E_SESSION_NOT_FOUND"


def test_large_json_is_compressed_for_clients_that_accept_gzip(handler: Mangum) -> None:
    plain = send(handler, "GET", "/api/openapi.json")
    packed = send(handler, "GET", "/api/openapi.json", headers={"accept-encoding": "br, gzip"})

    assert "content-encoding" not in plain["headers"]
    assert (packed["headers"]["content-encoding"], packed["headers"]["vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(body_of(packed)) == body_of(plain)
    assert len(body_of(packed)) < len(body_of(plain)) / 4


def test_small_json_is_not_compressed(handler: Mangum) -> None:
    response = send(handler, "GET", "/api/health", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in response["headers"]
    assert read(response)["status"] == "ok"


@pytest.mark.parametrize("mime", ["application/octet-stream", "text/csv", "application/json", "image/png"])
@pytest.mark.parametrize(
    "body", [bytes(range(256)), "größe\r\n".encode(), b"", "größe".encode("latin-1"), b"\xef\xbb\xbfa"]
)
def test_uploaded_bytes_are_downloaded_unchanged(handler: Mangum, mime: str, body: bytes) -> None:
    head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: {mime}\r\n\r\n'
    uploaded = send(
        handler,
        "POST",
        "/api/files",
        base64.b64encode(head.encode() + body + b"\r\n--b--\r\n").decode(),
        headers={"content-type": "multipart/form-data; boundary=b"},
        isBase64Encoded=True,
    )

    response = send(handler, "GET", read(uploaded)["download_url"])

    is_unnamed_text = mime == "application/octet-stream" and body in {"größe\r\n".encode(), b"\xef\xbb\xbfa"}
    expected = "text/plain" if is_unnamed_text else mime
    assert (response["statusCode"], response["headers"]["content-type"]) == (200, expected)
    assert body_of(response) == body


def test_downloads_are_not_compressed(handler: Mangum) -> None:
    uploaded = read(
        send(
            handler,
            "POST",
            "/api/files/content",
            json.dumps({"name": "a.txt", "b64": base64.b64encode(b"a" * 5000).decode()}),
        )
    )
    response = send(handler, "GET", uploaded["download_url"], headers={"accept-encoding": "gzip"})

    assert "content-encoding" not in response["headers"]
    assert response["headers"]["content-length"] == "5000"
    assert body_of(response) == b"a" * 5000


def test_turn_is_started(backend: Backend, handler: Mangum) -> None:
    backend.workflow.on_start = backend.complete_turn
    session_id = read(send(handler, "POST", "/api/sessions", "{}"))["session_id"]

    response = send(
        handler,
        "POST",
        f"/api/sessions/{session_id}/turns",
        json.dumps({"message": "grün"}),
        headers={"prefer": "wait=5"},
    )

    assert (response["statusCode"], read(response)["status"]) == (200, "complete")


def test_unexpected_error_is_a_problem(backend: Backend, handler: Mangum, caplog: pytest.LogCaptureFixture) -> None:
    uploaded = read(send(handler, "POST", "/api/files/content", json.dumps({"name": "a", "b64": "AAEC"})))
    bucket = backend.store.bucket
    try:
        object.__setattr__(backend.store, "bucket", "no-such-bucket")
        response = send(handler, "GET", f"/api/files/{uploaded['file_key']}")
    finally:
        object.__setattr__(backend.store, "bucket", bucket)

    assert response["statusCode"] == 500
    assert read(response)["error_code"] == "E_INTERNAL"
    assert "NoSuchBucket" in caplog.text
