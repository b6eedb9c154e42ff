"""The bridge's own Lambda runtime, against a server of Lambda's runtime API."""

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from local.bridge.lambda_runtime import RuntimeApiError, serve
from tests.lambda_runtime.runtime_api import FunctionError, Invocation, RuntimeApi, invocation

SECONDS = 30
HEAD = {"statusCode": 201, "headers": {"content-type": "text/plain", "x-two": "a,b"}, "cookies": ["a=1", "b=2"]}
START: Message = {
    "type": "http.response.start",
    "status": 201,
    "headers": [
        (b"content-type", b"text/plain"),
        (b"connection", b"keep-alive"),
        (b"content-length", b"0"),
        (b"x-two", b"a"),
        (b"x-two", b"b"),
        (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2"),
    ],
}


def piece(body: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}


def request(body: str = "", path: str = "/chat%20now") -> Invocation:
    event = {
        "version": "2.0",
        "rawQueryString": "a=1",
        "headers": {"Authorization": "Bearer t", "host": "b.example"},
        "cookies": ["c=3"],
        "requestContext": {"http": {"method": "POST", "path": path, "sourceIp": "192.0.2.1"}},
        "body": body,
        "isBase64Encoded": False,
    }
    return invocation(event, arn="arn", seconds=SECONDS)


def received(answered: Invocation) -> list[bytes]:
    """Return the pieces of the response up to its end."""
    return list(iter(lambda: answered.pieces.get(timeout=SECONDS), None))


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[RuntimeApi]:
    server = RuntimeApi(socket.create_server(("127.0.0.1", 0)))
    monkeypatch.setenv("AWS_LAMBDA_RUNTIME_API", f"127.0.0.1:{server.server_address[1]}")
    yield server
    server.close()


Start = Callable[[Callable[[], ASGIApp]], "Future[None]"]


@pytest.fixture
def start(api: RuntimeApi) -> Iterator[Start]:
    """Run the runtime in a thread. It ends with the server."""
    threads: list[threading.Thread] = []

    def run(load: Callable[[], ASGIApp]) -> "Future[None]":
        future: Future[None] = Future()

        def body() -> None:
            try:
                asyncio.run(serve(load))
            except Exception as error:  # noqa: BLE001  (the test reads it)
                future.set_exception(error)

        threads.append(threading.Thread(target=body))
        threads[-1].start()
        return future

    yield run
    api.waiting.put(None)
    for thread in threads:
        thread.join()


def app_of(answer: Callable[[Scope, Receive, Send], Awaitable[None]]) -> Callable[[], ASGIApp]:
    return lambda: answer


def test_request_becomes_a_scope_and_its_body(api: RuntimeApi, start: Start) -> None:
    seen: list[Any] = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend((scope, await receive()))
        await send(START)
        await send(piece(b"", more=False))

    start(app_of(answer))
    api.waiting.put(requested := request(body="hello"))

    assert json.loads(b"".join(received(requested)).partition(bytes(8))[0]) == HEAD
    scope, message = seen
    assert (scope["method"], scope["path"], scope["query_string"]) == ("POST", "/chat now", b"a=1")
    assert [b"authorization", b"Bearer t"] in scope["headers"]
    assert [b"cookie", b"c=3"] in scope["headers"]
    assert message == {"type": "http.request", "body": b"hello", "more_body": False}


def test_head_and_each_piece_arrive_before_the_next_one_is_sent(api: RuntimeApi, start: Start) -> None:
    go_on = [threading.Event() for _ in range(2)]

    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(START)
        for number, each in enumerate(go_on):
            await asyncio.to_thread(each.wait)
            await send(piece(b"%d" % number))
        await send(piece(b"", more=False))

    start(app_of(answer))
    api.waiting.put(requested := request())

    head = requested.pieces.get(timeout=SECONDS)
    assert head is not None
    assert head.endswith(bytes(8))
    for number, each in enumerate(go_on):
        assert requested.pieces.empty()
        each.set()
        assert requested.pieces.get(timeout=SECONDS) == b"%d" % number
    assert received(requested) == []
    assert requested.result.result() is None


def test_second_request_is_answered_after_one_that_failed(
    api: RuntimeApi, start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    async def answer(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["path"] == "/before":
            raise ValueError("broken before")
        await send(START)
        await send(piece(b"some"))
        if scope["path"] == "/after":
            raise ValueError("broken after")

    start(app_of(answer))
    failed = {path: request(path=path) for path in ("/before", "/after")}
    for each in [*failed.values(), fine := request()]:
        api.waiting.put(each)

    assert received(fine)[1:] == [b"some"]
    assert received(failed["/before"]) == []
    assert received(failed["/after"])[1:] == [b"some"]
    for path, each in failed.items():
        with pytest.raises(FunctionError) as raised:
            each.result.result()
        error = {"errorType": "ValueError", "errorMessage": f"broken {path[1:]}", "stackTrace": []}
        assert json.loads(str(raised.value)) == error
    assert capsys.readouterr().err.count("ValueError: broken") == 2


def test_broken_connection_is_a_disconnect_and_later_pieces_are_dropped(
    api: RuntimeApi, start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = threading.Event()

    async def answer(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send(START)
        disconnected = asyncio.ensure_future(receive())
        while not disconnected.done():
            await send(piece(b"x" * 10_000))
            await asyncio.sleep(0.01)
        assert disconnected.result() == {"type": "http.disconnect"}
        await send(piece(b"", more=False))
        ended.set()

    start(app_of(answer))
    requested = request()
    requested.breaks.set()
    api.waiting.put(requested)
    api.waiting.put(following := request())
    following.breaks.set()

    assert ended.wait(SECONDS)
    assert received(following) == []
    assert "The response was not sent to its end" in capsys.readouterr().err


def test_application_that_cannot_be_loaded_is_reported_and_ends_the_runtime(api: RuntimeApi, start: Start) -> None:
    def load() -> ASGIApp:
        raise KeyError("SATCHEL_URL")

    with pytest.raises(KeyError):
        start(load).result(SECONDS)
    assert json.loads(str(api.init_error))["errorType"] == "KeyError"


def test_refused_request_for_an_event_ends_the_runtime(api: RuntimeApi, start: Start) -> None:
    api.refuses = True
    with pytest.raises(RuntimeApiError, match="403"):
        start(app_of(lambda *_: pytest.fail("no request"))).result(SECONDS)
