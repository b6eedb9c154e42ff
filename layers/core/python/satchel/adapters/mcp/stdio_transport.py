"""MCP transport over the pipes of a server process. It reads long lines in linear time, and ends when the process ends.

This module replaces the SDK's transport, which joins and splits its whole buffer for each chunk (20 MB take 10 s) and
has no size limit. The SDK's transport also waits until the *pipe* is closed, but a forked child can keep the pipe open
long after the server has died.
"""

import array
import asyncio
import fcntl
import os
import termios
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from typing import Any, Self

import anyio
from anyio.lowlevel import checkpoint
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic_core import from_json

from satchel.adapters.mcp import memory_watch, processes, server_exit
from satchel.adapters.mcp.direct_requests import DirectRequests
from satchel.adapters.mcp.error_output import ErrorOutput
from satchel.adapters.mcp.processes import Server

_DRAIN_SECONDS = 0.1
"""After a server has died, keep reading for this time: the pipe can still contain messages of the server."""
_MAX_DRAIN_SECONDS = 10.0
"""Stop then, even if the pipe contains more: a child of the server may write for ever."""

_CHUNK = 1 << 20

Incoming = SessionMessage | Exception


class StdioTransport:
    """MCP transport over the pipes of one server process. It can be connected only once.

    ``start`` starts the process, and is called on the event loop's thread. ``errors`` is the standard error of the
    process. ``max_bytes`` limits each line. ``memory_exceeded`` is True if the server was killed because it used more
    than ``max_memory`` bytes while ``is_active`` was True. ``direct`` sends requests without the SDK.
    """

    def __init__(self, start: Callable[[], Server], errors: ErrorOutput, max_bytes: int, max_memory: int) -> None:
        self._start = start
        self._errors = errors
        self._max_bytes = max_bytes
        self._reader: MessageReader | None = None
        self.direct = DirectRequests()
        self._max_memory = max_memory
        self.memory_exceeded = False
        self.is_active = True

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[TransportStreams]:
        """Start the server process and yield the message streams. The caller must end the process afterwards."""
        process = self._start()
        source, sink = process.stdout, process.stdin
        if source is None or sink is None:
            raise ValueError("the process must be started with pipes")
        with source, sink:
            with suppress(OSError):  # the pipes of this user have reached the limit of all pipes
                fcntl.fcntl(source.fileno(), fcntl.F_SETPIPE_SZ, _CHUNK)
            os.set_blocking(source.fileno(), False)
            os.set_blocking(sink.fileno(), False)
            self._reader = reader = MessageReader(source.fileno(), self._max_bytes, self.direct)
            async with reader, MessageWriter(sink.fileno(), reader, self.direct) as writer:
                self.direct.open(sink.fileno())
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(watch_exit, process.pid, reader)
                    tasks.start_soon(self._errors.copy)
                    tasks.start_soon(self._limit_memory, process.pid)
                    yield reader, writer
                    tasks.cancel_scope.cancel()

    @property
    def ended(self) -> bool:
        """Return True if the server will send no more messages."""
        return self._reader is not None and self._reader.ended

    @property
    def limit_exceeded(self) -> bool:
        """Return True if the server sent a line that is too long."""
        return self._reader is not None and self._reader.limit_exceeded

    async def _limit_memory(self, pid: int) -> None:
        await memory_watch.wait_until_exceeded(pid, self._max_memory, lambda: self.is_active)
        self.memory_exceeded = True
        await anyio.to_thread.run_sync(processes.kill_tree, pid)


class MessageReader:
    """Message stream (the SDK's ``ReadStream``) of the lines in a pipe. Use it only on the event loop that creates it.

    It reads before the SDK asks for a message, so that the answer to a direct request needs no other task. It pauses
    while the SDK has messages to read. ``ended`` is True when it reads no more. ``limit_exceeded`` is True if a line
    was longer than ``max_bytes``.
    """

    def __init__(self, source: int, max_bytes: int, direct: DirectRequests) -> None:
        self._source = source
        self._max_bytes = max_bytes
        self._direct = direct
        self._line = BytesIO()  # not a list of chunks: the copies are made while the server still writes
        self._messages: deque[Incoming | dict[str, Any]] = deque()
        self._arrived = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(source, self._read)
        self.ended = False
        self.limit_exceeded = False

    def end(self) -> None:
        """Read no more. The SDK still gets the messages that have been read."""
        if not self.ended:
            self.ended = True
            self._loop.remove_reader(self._source)
            self._arrived.set()

    def has_more(self) -> bool:
        """Return True if the pipe has bytes that have not been read, because the SDK has messages to read before."""
        count = array.array("i", [0])
        fcntl.ioctl(self._source, termios.FIONREAD, count)
        return not self.ended and count[0] > 0

    async def receive(self) -> Incoming:
        """Return the next message for the SDK. Raise EndOfStream."""
        while True:
            if not self._messages:
                await self._wait()
            await checkpoint()  # handlers of the message before run first: they may report to the call that ends now
            message = self._messages.popleft()
            if not isinstance(message, dict):
                return message
            await checkpoint()  # a handler may have started another one
            self._direct.take(message)

    async def aclose(self) -> None:
        """End the stream."""
        self.end()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Incoming:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.end()

    async def _wait(self) -> None:
        """Wait for a message. At the end, fail the direct requests, and raise EndOfStream."""
        if not self.ended:
            self._loop.add_reader(self._source, self._read)
        self._arrived.clear()
        if not self.ended:
            await self._arrived.wait()
        if not self._messages:
            self._direct.close()
            raise anyio.EndOfStream

    def _read(self) -> None:
        try:
            chunk = os.read(self._source, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.end()
            return
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if self._exceeds(end):
                return
            self._accept(self._line.getvalue())
            self._line = BytesIO()
        if not self._exceeds(rest) and self._messages:
            self._loop.remove_reader(self._source)
            self._arrived.set()

    def _exceeds(self, part: bytes) -> bool:
        """Add a part to the line. If the line is too long, end the stream and return True."""
        self._line.write(part)
        if self._line.tell() <= self._max_bytes:
            return False
        self.limit_exceeded = True
        self.end()
        return True

    def _accept(self, line: bytes) -> None:
        try:
            message = from_json(line)
        except ValueError as error:  # a tool may print other text to stdout
            self._messages.append(error)
            return
        if not self._direct.expects(message):
            self._direct.is_alone = False
            self._messages.append(_to_message(message))
        elif self._direct.is_alone and not self._messages:
            self._direct.take(message)
        else:
            self._messages.append(message)


class MessageWriter:
    """Message stream (the SDK's ``WriteStream``) to a pipe. Its end also ends the direct requests to the pipe.

    Each message is in the pipe before ``send`` returns, so no direct request can overtake it.
    """

    def __init__(self, sink: int, reader: MessageReader, direct: DirectRequests) -> None:
        self._sink = sink
        self._reader = reader
        self._direct = direct
        self._turn = anyio.Lock()
        self._is_closed = False

    async def send(self, item: SessionMessage) -> None:
        """Write a message. Raise BrokenResourceError if the server has closed its input, or ClosedResourceError."""
        data = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        async with self._turn:
            while not self._direct.sending.acquire(blocking=False):  # for the time of a system call
                await checkpoint()
            try:
                if self._is_closed:
                    raise anyio.ClosedResourceError
                await _write_all(self._sink, data)
            except OSError:
                # The server will not answer: end the session instead of waiting for a reply.
                self._reader.end()
                raise anyio.BrokenResourceError from None
            finally:
                self._direct.sending.release()

    async def aclose(self) -> None:
        """End the stream."""
        self._is_closed = True
        self._direct.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


async def watch_exit(pid: int, reader: MessageReader) -> None:
    """End the stream after the exit of a server, when all that it has written has been read."""
    await server_exit.wait(pid)
    await anyio.sleep(_DRAIN_SECONDS)
    deadline = anyio.current_time() + _MAX_DRAIN_SECONDS
    while reader.has_more() and anyio.current_time() < deadline:  # noqa: ASYNC110  (the kernel offers no event)
        await anyio.sleep(_DRAIN_SECONDS)
    reader.end()


async def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            await anyio.wait_writable(fd)


def _to_message(message: object) -> Incoming:
    """Return a message for the SDK, or the error if it is none."""
    try:
        # Two steps take a tenth of the time of ``validate_json``, which copies each long text several times.
        return SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False))
    except ValueError as error:
        return error
