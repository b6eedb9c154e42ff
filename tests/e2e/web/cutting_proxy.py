"""A proxy between the browser and all else, which cuts every connection when it is told to, and notes who was asked."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar
from urllib.parse import urlsplit

_PIECE = 1 << 16
Result = TypeVar("Result")


class CuttingProxy:
    """Passes bytes on both ways, CONNECT (which browsers use for WebSockets) and plain requests alike.

    A plain request ends its connection, so that the next one names its address again.
    """

    def __init__(self) -> None:
        self.origins: set[str] = set()
        self._open: set[asyncio.StreamWriter] = set()
        self._served: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve in a thread of its own; the address is handed out."""
        thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        thread.start()
        server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0))
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            self._do(self._end())
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
            self._loop.close()

    @property
    def has_connections(self) -> bool:
        """Tell whether there is anything to cut."""
        return bool(self._open)

    def cut(self) -> int:
        """Break all connections off; returns how many there were."""
        return self._do(self._cut())

    def _do(self, coroutine: Coroutine[object, object, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)

    async def _cut(self) -> int:
        cut = list(self._open)
        for writer in cut:
            writer.transport.abort()
        return len(cut)

    async def _end(self) -> None:
        await self._cut()
        await asyncio.gather(*self._served, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._served.add(task)
        self._open.add(writer)
        with suppress(OSError, asyncio.IncompleteReadError):
            await self._pass_on(reader, writer)
        self._open.discard(writer)
        self._served.discard(task)
        await _close(writer)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        address = urlsplit(f"//{target}" if method == "CONNECT" else target)
        self.origins.add(f"{address.hostname}:{address.port}")
        there, to_there = await asyncio.open_connection(address.hostname, address.port)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            to_there.write(_once(head, target, address.path + (f"?{address.query}" if address.query else "")))
        await asyncio.gather(_pump(reader, to_there), _pump(there, writer))


def _once(head: bytes, target: str, path: str) -> bytes:
    """Return a request's head as its server expects it, for a connection of one request."""
    lines = head.replace(target.encode(), path.encode(), 1).split(b"\r\n")
    kept = [line for line in lines if not line.lower().startswith((b"connection:", b"proxy-connection:"))]
    return b"\r\n".join([kept[0], b"Connection: close", *kept[1:]])


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Pass on until one of both ends."""
    with suppress(OSError):
        while piece := await source.read(_PIECE):
            sink.write(piece)
            await sink.drain()
    await _close(sink)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
