"""uvicorn for the API Gateway: answers requests until a signal comes, ends what waits and lets the rest finish."""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

_MOST_MESSAGE = 128 << 10  # bytes over a connection, as API Gateway has it
_LAST_REQUESTS = 2  # seconds that open requests may take once the server stops


class _Server(uvicorn.Server):
    """Says when it is ready, and leaves signals to us: its own way would end the process before the clean-up."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(app: ASGIApp, listener: socket.socket, closing: threading.Event, ready: Callable[[], None]) -> None:
    """Call ``ready`` when requests are answered, and return when SIGINT or SIGTERM has come and the last is done.

    ``closing`` is set with the signal: requests that wait for something end by it.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws_max_size=_MOST_MESSAGE,
        timeout_graceful_shutdown=_LAST_REQUESTS,
    )
    server = _Server(config, ready)

    def stop() -> None:
        closing.set()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await server.serve(sockets=[listener])
