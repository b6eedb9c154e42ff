"""A server process as an MCP transport: lines of any length in linear time, and the end of the process is the end.

The SDK's own joins and splits its whole buffer for each chunk (20 MB take 10 s), has no cap, and waits for the end of
the *pipe*, which a forked child of the server may hold open for long after the server is gone.
"""

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteReceiveStream
from anyio.lowlevel import checkpoint
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

LAST_WORDS_SECONDS = 0.1
"""How long a dead server's pipe is still read: what it wrote before it died may lie in there."""

_CHUNK = 65536
_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, anyio.IncompleteRead, OSError)

Incoming = SessionMessage | Exception


class LineStdio:
    """The transport over one process, once. ``start`` makes the process, on the loop's thread.

    ``over``: nothing more will come from the server. ``too_long``: because a line was longer than ``most`` bytes.
    """

    def __init__(self, start: Callable[[], subprocess.Popen[bytes]], most: int) -> None:
        self._start = start
        self._most = most
        self.process: subprocess.Popen[bytes] | None = None
        self.over = False
        self.too_long = False

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[TransportStreams]:
        """Start the process and yield the streams. Ending the process is left to who gave ``start``."""
        to_client, incoming = anyio.create_memory_object_stream[Incoming](0)
        outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
        with to_client, incoming, outgoing, from_client:
            self.process = process = self._start()
            source, sink = process.stdout, process.stdin
            if source is None or sink is None:
                raise ValueError("the process must be started with pipes")
            with source, sink:
                os.set_blocking(source.fileno(), False)
                os.set_blocking(sink.fileno(), False)
                async with anyio.create_task_group() as tasks:
                    reading = anyio.CancelScope()
                    tasks.start_soon(self._read, source.fileno(), to_client, reading)
                    tasks.start_soon(_write, from_client, sink.fileno(), reading)
                    tasks.start_soon(_watch, process.pid, reading)
                    yield incoming, outgoing
                    tasks.cancel_scope.cancel()

    async def _read(self, source: int, to_client: MemoryObjectSendStream[Incoming], scope: anyio.CancelScope) -> None:
        lines = BufferedByteReceiveStream(_Pipe(source))
        with to_client:
            with scope:
                self.too_long = await _read_lines(lines, to_client, self._most)
            self.over = True


async def _read_lines(lines: BufferedByteReceiveStream, to_client: MemoryObjectSendStream[Incoming], most: int) -> bool:
    """Pass on each line until there are no more; tell whether the reason was a line that is too long."""
    try:
        while True:
            await to_client.send(_parse(await lines.receive_until(b"\n", most)))
    except anyio.DelimiterNotFound:
        return True
    except _GONE:
        return False


async def _write(from_client: MemoryObjectReceiveStream[SessionMessage], sink: int, reading: anyio.CancelScope) -> None:
    with from_client:
        try:
            async for item in from_client:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await _write_all(sink, text.encode() + b"\n")
        except OSError:
            # A server that no longer listens will not answer either: the session must see the end, not wait for it.
            reading.cancel()


async def _watch(pid: int, reading: anyio.CancelScope) -> None:
    await _wait_for_death(pid)
    await anyio.sleep(LAST_WORDS_SECONDS)
    reading.cancel()


class _Pipe(ByteReceiveStream):
    """The reading end of a pipe; closing it is its owner's."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    async def receive(self, max_bytes: int = _CHUNK) -> bytes:
        await checkpoint()
        while True:
            try:
                data = os.read(self._fd, max_bytes)
            except BlockingIOError:
                await anyio.wait_readable(self._fd)
                continue
            if not data:
                raise anyio.EndOfStream
            return data

    async def aclose(self) -> None:
        """Leave the descriptor to its owner."""


async def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            await anyio.wait_writable(fd)


async def _wait_for_death(pid: int) -> None:
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        await anyio.wait_readable(fd)
    finally:
        os.close(fd)


def _parse(line: bytes) -> Incoming:
    """Return the message, or the error as a value: a tool that prints to stdout must not end the session."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error
