"""MCP transport over the pipes of a server process. It reads long lines in linear time, and ends when the process ends.

This module replaces the SDK's transport, which joins and splits its whole buffer for each chunk (20 MB take 10 s) and
has no size limit. The SDK's transport also waits until the *pipe* is closed, but a forked child can keep the pipe open
long after the server has died.
"""

import fcntl
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from io import BytesIO

import anyio
from anyio.lowlevel import checkpoint
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic_core import from_json

from satchel.adapters.mcp import memory_watch, processes, server_exit
from satchel.adapters.mcp.error_output import ErrorOutput
from satchel.adapters.mcp.processes import Server

_DRAIN_SECONDS = 0.1
"""After a server has died, keep reading for this time: the pipe can still contain messages of the server."""

_CHUNK = 1 << 20
_CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)

Incoming = SessionMessage | Exception


class StdioTransport:
    """MCP transport over the pipes of one server process. It can be connected only once.

    ``start`` starts the process, and is called on the event loop's thread. ``errors`` is the standard error of the
    process. ``ended`` is True when the server will send no more messages. ``limit_exceeded`` is True if the server sent
    a line longer than ``max_bytes``. ``memory_exceeded`` is True if the server was killed because it used more than
    ``max_memory`` bytes while ``is_active`` was True.
    """

    def __init__(self, start: Callable[[], Server], errors: ErrorOutput, max_bytes: int, max_memory: int) -> None:
        self._start = start
        self._errors = errors
        self._max_bytes = max_bytes
        self.process: Server | None = None
        self.ended = False
        self.limit_exceeded = False
        self._max_memory = max_memory
        self.memory_exceeded = False
        self.is_active = True

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[TransportStreams]:
        """Start the server process and yield the message streams. The caller must end the process afterwards."""
        to_client, incoming = anyio.create_memory_object_stream[Incoming](0)
        outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
        with to_client, incoming, outgoing, from_client:
            self.process = process = self._start()
            source, sink = process.stdout, process.stdin
            if source is None or sink is None:
                raise ValueError("the process must be started with pipes")
            with source, sink:
                with suppress(OSError):  # the pipes of this user have reached the limit of all pipes
                    fcntl.fcntl(source.fileno(), fcntl.F_SETPIPE_SZ, _CHUNK)
                os.set_blocking(source.fileno(), False)
                os.set_blocking(sink.fileno(), False)
                async with anyio.create_task_group() as tasks:
                    reading = anyio.CancelScope()
                    tasks.start_soon(self._read, source.fileno(), to_client, reading)
                    tasks.start_soon(_write, from_client, sink.fileno(), reading)
                    tasks.start_soon(_watch, process.pid, reading)
                    tasks.start_soon(self._errors.copy)
                    tasks.start_soon(self._limit_memory, process.pid)
                    yield incoming, outgoing
                    tasks.cancel_scope.cancel()

    async def _read(self, source: int, to_client: MemoryObjectSendStream[Incoming], scope: anyio.CancelScope) -> None:
        with to_client:
            with scope:
                self.limit_exceeded = await _read_lines(source, to_client, self._max_bytes)
            self.ended = True

    async def _limit_memory(self, pid: int) -> None:
        await memory_watch.wait_until_exceeded(pid, self._max_memory, lambda: self.is_active)
        self.memory_exceeded = True
        await anyio.to_thread.run_sync(processes.kill_tree, pid)


async def _read_lines(source: int, to_client: MemoryObjectSendStream[Incoming], max_bytes: int) -> bool:
    """Forward the server's messages until the pipe ends or a line is too long. Return True if a line was too long."""
    line = BytesIO()  # not a list of chunks: the copies are made while the server still writes
    with suppress(*_CLOSED):
        while chunk := await _receive(source):
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                line.write(end)
                if line.tell() > max_bytes:
                    return True
                await to_client.send(_parse(line.getvalue()))
                line = BytesIO()
            line.write(rest)
            if line.tell() > max_bytes:
                return True
    return False


async def _write(from_client: MemoryObjectReceiveStream[SessionMessage], sink: int, reading: anyio.CancelScope) -> None:
    with from_client:
        try:
            async for item in from_client:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await _write_all(sink, text.encode() + b"\n")
        except OSError:
            # The server has closed its input and will not answer: end the session instead of waiting for a reply.
            reading.cancel()


async def _watch(pid: int, reading: anyio.CancelScope) -> None:
    await server_exit.wait(pid)
    await anyio.sleep(_DRAIN_SECONDS)
    reading.cancel()


async def _receive(source: int) -> bytes:
    """Return the next bytes of a pipe, or none at its end."""
    await checkpoint()
    while True:
        try:
            return os.read(source, _CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(source)


async def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            await anyio.wait_writable(fd)


def _parse(line: bytes) -> Incoming:
    """Parse a line as a message. If this fails, return the error: a tool may print other text to stdout."""
    try:
        # Two steps take a tenth of the time of ``validate_json``, which copies each long text several times.
        return SessionMessage(jsonrpc_message_adapter.validate_python(from_json(line), by_name=False))
    except ValueError as error:
        return error
