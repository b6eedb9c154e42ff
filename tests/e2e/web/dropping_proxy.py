"""HTTP proxy that drops all open connections on demand."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar
from urllib.parse import urlsplit

_CHUNK_BYTES = 1 << 16
Result = TypeVar("Result")


class DroppingProxy:
    """Forward bytes in both directions, for CONNECT (which browsers use for WebSockets) and plain requests.

    A plain request gets a connection of its own, because the next request may have another target.
    """

    def __init__(self) -> None:
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve in a thread, and yield the proxy's URL."""
        thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        thread.start()
        server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            self._run(self._shut_down())
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
            self._loop.close()

    @property
    def has_connections(self) -> bool:
        """Return True if a connection is open."""
        return bool(self._writers)

    def drop_all(self) -> int:
        """Abort all connections and return their number."""
        return self._run(self._abort_all())

    def _run(self, coroutine: Coroutine[object, object, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)

    async def _abort_all(self) -> int:
        writers = list(self._writers)
        for writer in writers:
            writer.transport.abort()
        return len(writers)

    async def _shut_down(self) -> None:
        await self._abort_all()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        with suppress(OSError, asyncio.IncompleteReadError):
            await self._forward(reader, writer)
        self._writers.discard(writer)
        await _close(writer)
        self._tasks.discard(task)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        url = urlsplit(f"//{target}" if method == "CONNECT" else target)
        server_reader, server_writer = await asyncio.open_connection(url.hostname, url.port)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            path = url.path + (f"?{url.query}" if url.query else "")
            server_writer.write(_to_origin_form(head, target, path))
        await asyncio.gather(_pump(reader, server_writer), _pump(server_reader, writer))


def _to_origin_form(head: bytes, target: str, path: str) -> bytes:
    """Return the head of a proxied request as its server expects it, for a connection with a single request."""
    lines = head.replace(target.encode(), path.encode(), 1).split(b"\r\n")
    forwarded = [line for line in lines if not line.lower().startswith((b"connection:", b"proxy-connection:"))]
    return b"\r\n".join([forwarded[0], b"Connection: close", *forwarded[1:]])


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Copy bytes until either side ends."""
    with suppress(OSError):
        while chunk := await source.read(_CHUNK_BYTES):
            sink.write(chunk)
            await sink.drain()
    await _close(sink)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
