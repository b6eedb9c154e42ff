"""Unit tests of requests that bypass the SDK, and of the stream that reads their answers."""

import asyncio
import json
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import CONNECTION_CLOSED, JSONRPCNotification

from satchel.adapters.mcp import server_exit, stdio_transport
from satchel.adapters.mcp.direct_requests import Answer, DirectRequests
from satchel.adapters.mcp.stdio_transport import MessageReader

CALL = {"name": "t", "arguments": {"a": 1}}
LOG = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "hi"}}


@dataclass
class Pipe:
    """A pipe to a server, and what the server's messages led to."""

    source: int
    sink: int
    direct: DirectRequests = field(default_factory=DirectRequests)
    answers: list[Answer] = field(default_factory=list)
    progress: list[tuple[float, float | None, str | None]] = field(default_factory=list)

    def send(self, params: dict[str, Any] | None = None) -> bool:
        return self.direct.send("tools/call", dict(params or CALL), self.answers.append, self._add_progress)

    def read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(os.read(self.source, select.PIPE_BUF))
        return message

    def _add_progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append((progress, total, message))


@contextmanager
def open_pipe() -> Iterator[Pipe]:
    source, sink = os.pipe()
    os.set_blocking(source, False)
    os.set_blocking(sink, False)
    pipe = Pipe(source, sink)
    pipe.direct.open(sink)
    try:
        yield pipe
    finally:
        os.close(source)
        os.close(sink)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    with open_pipe() as opened:
        yield opened


def answer_to(request: dict[str, Any], **fields: Any) -> dict[str, Any]:  # noqa: ANN401  (any JSON value)
    return {"jsonrpc": "2.0", "id": request["id"], **fields}


def test_request_names_its_id_as_the_token_of_its_progress(pipe: Pipe) -> None:
    assert pipe.send({**CALL, "_meta": {"x": 1}})

    request = pipe.read()
    assert (request["method"], request["params"]["arguments"]) == ("tools/call", {"a": 1})
    assert request["params"]["_meta"] == {"x": 1, "progressToken": request["id"]}


@pytest.mark.parametrize("convert", [int, str])
def test_answer_is_passed_on_once(pipe: Pipe, convert: type[int | str]) -> None:
    pipe.send()
    message = answer_to(pipe.read(), result={"content": []})
    message["id"] = convert(message["id"])

    assert pipe.direct.expects(message)
    pipe.direct.take(message)
    pipe.direct.take(message)

    assert pipe.answers == [{"content": []}]
    assert not pipe.direct.expects(message)


def test_error_of_the_server_is_passed_on(pipe: Pipe) -> None:
    pipe.send()
    pipe.direct.take(answer_to(pipe.read(), error={"code": -32000, "message": "no", "data": {"a": 1}}))

    [error] = pipe.answers
    assert isinstance(error, MCPError)
    assert (error.code, error.message, error.data) == (-32000, "no", {"a": 1})


@pytest.mark.parametrize("fields", [{}, {"result": "text"}, {"error": "text"}, {"error": {"code": "x"}}])
def test_malformed_answer_is_ignored(pipe: Pipe, fields: dict[str, Any]) -> None:
    pipe.send()
    request = pipe.read()
    pipe.direct.take(answer_to(request, **fields))

    assert pipe.answers == []
    assert pipe.direct.expects(answer_to(request))


def test_progress_is_passed_on_until_the_answer(pipe: Pipe) -> None:
    pipe.send()
    request = pipe.read()
    for values in (
        {"progress": 1},
        {"progress": 2, "total": 4, "message": "half"},
        {"progress": "x"},
        {"progress": True},
    ):
        params = {"progressToken": request["id"], **values}
        pipe.direct.take({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    pipe.direct.take(answer_to(request, result={}))
    late = {"progressToken": request["id"], "progress": 3}
    pipe.direct.take({"jsonrpc": "2.0", "method": "notifications/progress", "params": late})

    assert pipe.progress == [(1, None, None), (2, 4, "half")]


@pytest.mark.parametrize(
    "message",
    [
        "text",
        [1],
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": [1], "result": {}},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}},
        LOG,
    ],
)
def test_other_messages_are_left_to_the_sdk(pipe: Pipe, message: object) -> None:
    pipe.send()

    assert not pipe.direct.expects(message)


def test_request_of_the_server_with_the_same_id_is_left_to_the_sdk(pipe: Pipe) -> None:
    pipe.send()

    assert not pipe.direct.expects(answer_to(pipe.read(), method="elicitation/create"))


def test_request_is_left_to_the_sdk_while_it_writes(pipe: Pipe) -> None:
    with pipe.direct.sending:
        assert not pipe.send()
    assert pipe.send()


def test_request_that_may_be_written_in_parts_is_left_to_the_sdk(pipe: Pipe) -> None:
    assert not pipe.send({"name": "x" * select.PIPE_BUF})


def test_request_is_left_to_the_sdk_if_the_pipe_is_full(pipe: Pipe) -> None:
    while pipe.send():
        continue

    pipe.direct.close()
    assert all(isinstance(answer, MCPError) for answer in pipe.answers)


def test_value_that_json_cannot_encode_is_an_error(pipe: Pipe) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        pipe.send({"name": "\ud800"})


def test_close_fails_the_requests_that_wait_and_those_after_it(pipe: Pipe) -> None:
    pipe.send()
    pipe.direct.close()

    [error] = pipe.answers
    assert isinstance(error, MCPError)
    assert error.code == CONNECTION_CLOSED
    assert not pipe.send()


async def read_answer_alone() -> Answer:
    """Send a request, and return its answer, which no task reads from the stream."""
    with open_pipe() as outgoing, open_pipe() as incoming:
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        outgoing.direct.send("tools/call", dict(CALL), answer.set_result, print)
        os.write(incoming.sink, json.dumps(answer_to(outgoing.read(), result={"a": 1})).encode() + b"\n")
        async with MessageReader(incoming.source, 1000, outgoing.direct):
            return await asyncio.wait_for(answer, 60)


async def read_answer_after(*earlier: object) -> tuple[list[object], list[Answer]]:
    """Send a request, and answer it after other messages. Return what the SDK reads, and the answers at the end."""
    with open_pipe() as outgoing, open_pipe() as incoming:
        outgoing.send()
        messages = [*earlier, answer_to(outgoing.read(), result={"a": 1})]
        os.write(incoming.sink, b"".join(json.dumps(each).encode() + b"\n" for each in messages))
        async with MessageReader(incoming.source, 1000, outgoing.direct) as reader:
            read: list[object] = [await asyncio.wait_for(reader.receive(), 60) for _ in earlier]
            assert outgoing.answers == []
            reader.end()
            with pytest.raises(anyio.EndOfStream):
                await reader.receive()
        return read, outgoing.answers


async def read_after_exit(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return two messages of a server that ended at once, of which the SDK reads nothing for some time."""

    async def has_exited(_pid: int) -> None:
        """Return at once, as for a server that has exited."""

    monkeypatch.setattr(server_exit, "wait", has_exited)
    line = json.dumps(LOG).encode() + b"\n"
    with open_pipe() as incoming, open_pipe() as outgoing:
        async with MessageReader(incoming.source, 1000, outgoing.direct) as reader:
            os.write(incoming.sink, line)
            first = await asyncio.wait_for(reader.receive(), 60)
            os.write(incoming.sink, line)
            await asyncio.sleep(0.1)  # the reader has read this line, and pauses
            os.write(incoming.sink, line)
            watching = asyncio.create_task(stdio_transport.watch_exit(0, reader))
            await asyncio.sleep(0.3)
            read: list[object] = [first, *[await asyncio.wait_for(reader.receive(), 60) for _ in range(2)]]
            await asyncio.wait_for(watching, 60)
            with pytest.raises(anyio.EndOfStream):
                await reader.receive()
        return read


def test_messages_before_the_exit_of_a_server_are_read_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(asyncio.run(read_after_exit(monkeypatch))) == 3


def test_answer_that_comes_alone_is_passed_on_at_once() -> None:
    assert asyncio.run(read_answer_alone()) == {"a": 1}


def test_answer_does_not_overtake_the_messages_before_it() -> None:
    read, answers = asyncio.run(read_answer_after(LOG, LOG))

    assert answers == [{"a": 1}]
    assert len(read) == 2
    assert all(isinstance(each, SessionMessage) and isinstance(each.message, JSONRPCNotification) for each in read)
