"""The middleware alone: what it lets through, and that it never reads more than it may."""

import json
from collections.abc import Sequence

import anyio
import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from satchel.entrypoints.http.body_limit import BodyLimit

MOST = 10


class Echo:
    """An application that reads the whole body."""

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


def run(app: Echo, chunks: Sequence[bytes], length: bytes | None = None, kind: str = "http") -> list[Message]:
    sent: list[Message] = []
    left = list(chunks)

    async def receive() -> Message:
        body = left.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(left)}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [] if length is None else [(b"content-length", length)]
    anyio.run(BodyLimit(app, MOST), {"type": kind, "headers": headers}, receive, send)
    return sent


@pytest.mark.parametrize("chunks", [[b""], [b"x" * MOST], [b"x"] * MOST, [b"", b"x", b""]])
def test_what_fits_passes(chunks: list[bytes]) -> None:
    app = Echo()

    assert run(app, chunks) == [{"type": "done"}]
    assert app.body == b"".join(chunks)


@pytest.mark.parametrize("length", [b"11", b"999999999999999999", b"9" * 5000])
def test_what_announces_too_much_is_not_read_at_all(length: bytes) -> None:
    app = Echo()

    start, body = run(app, [b"never read"], length)

    assert (start["status"], json.loads(body["body"])["error_code"]) == (413, "E_TOO_LARGE")
    assert (app.body, app.scopes) == (b"", [])


@pytest.mark.parametrize("length", [None, b"0", b"10", b"-1", b"x", b""])
def test_what_says_less_than_it_sends_is_stopped_where_it_goes_over(length: bytes | None) -> None:
    app = Echo()

    with pytest.raises(HTTPException) as stopped:
        run(app, [b"x" * MOST, b"y", b"z"], length)

    assert stopped.value.status_code == 413
    assert app.body == b"x" * MOST


def test_what_is_no_request_is_none_of_its_business() -> None:
    app = Echo()

    run(app, [], kind="lifespan")

    assert app.scopes == ["lifespan"]
