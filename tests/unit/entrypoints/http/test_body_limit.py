import json
from collections.abc import Sequence

import anyio
import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from satchel.entrypoints.http.body_limit import BodyLimit

MAX_BYTES = 10


class FakeApp:
    """An ASGI application that reads the whole body."""

    def __init__(self) -> None:
        self.body = b""
        self.scopes: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope["type"])
        more = scope["type"] == "http"
        while more:
            message = await receive()
            self.body += message.get("body", b"")
            more = message.get("more_body", False)
        await send({"type": "done"})


def send_request(
    app: FakeApp, chunks: Sequence[bytes], content_length: bytes | None = None, scope_type: str = "http"
) -> list[Message]:
    """Send a request through the middleware, and return the messages of the response."""
    sent: list[Message] = []
    remaining = list(chunks)

    async def receive() -> Message:
        body = remaining.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(remaining)}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [] if content_length is None else [(b"content-length", content_length)]
    anyio.run(BodyLimit(app, MAX_BYTES), {"type": scope_type, "headers": headers}, receive, send)
    return sent


@pytest.mark.parametrize("chunks", [[b""], [b"x" * MAX_BYTES], [b"x"] * MAX_BYTES, [b"", b"x", b""]])
def test_body_within_the_limit_passes(chunks: list[bytes]) -> None:
    app = FakeApp()

    assert send_request(app, chunks) == [{"type": "done"}]
    assert app.body == b"".join(chunks)


@pytest.mark.parametrize("content_length", [b"11", b"999999999999999999", b"9" * 5000])
def test_content_length_over_the_limit_is_rejected_before_the_body_is_read(content_length: bytes) -> None:
    app = FakeApp()

    start, body = send_request(app, [b"never read"], content_length)

    assert (start["status"], json.loads(body["body"])["error_code"]) == (413, "E_TOO_LARGE")
    assert (app.body, app.scopes) == (b"", [])


@pytest.mark.parametrize("content_length", [None, b"0", b"10", b"-1", b"x", b""])
def test_body_longer_than_its_content_length_is_rejected_at_the_limit(content_length: bytes | None) -> None:
    app = FakeApp()

    with pytest.raises(HTTPException) as error:
        send_request(app, [b"x" * MAX_BYTES, b"y", b"z"], content_length)

    assert error.value.status_code == 413
    assert app.body == b"x" * MAX_BYTES


def test_scope_that_is_not_http_passes() -> None:
    app = FakeApp()

    send_request(app, [], scope_type="lifespan")

    assert app.scopes == ["lifespan"]
