"""``satchel serve``: the whole system on this machine, until Ctrl-C or SIGTERM."""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager

HOST = "127.0.0.1"
_READY_WITHIN = 4.0  # seconds that the tools may take before the door opens without them
_LAST_REQUESTS = 2  # seconds that open requests may take once the server stops


def run(port: int) -> int:
    """Serve on 127.0.0.1 and return the exit code: 0 after a stop that was asked for, 1 where it cannot start."""
    began = time.monotonic()
    signal.signal(signal.SIGTERM, _stop_early)
    try:
        listener = _bind(port)
    except OSError as error:
        print(f"satchel: cannot listen on {HOST}:{port}: {error.strerror}", file=sys.stderr)  # noqa: T201
        return 1
    port = listener.getsockname()[1]
    try:
        _serve(listener, port, began)
    except (KeyboardInterrupt, SystemExit):
        return 0
    return 0


def _stop_early(*_signal: object) -> None:
    """A stop while the system is being put up unwinds what stands so far."""
    raise SystemExit(0)


def _bind(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((HOST, port))
    return listener


def _serve(listener: socket.socket, port: int, began: float) -> None:
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    from local.system import System  # noqa: PLC0415  (AWS's stand-in takes a second to import)

    with System(port) as system:
        listings = system.list_tools()
        from local.gateway import OwnHostOnly  # noqa: PLC0415  (imported while the servers are starting)
        from satchel.bootstrap.api import build  # noqa: PLC0415  (the same)

        closing = threading.Event()
        app = OwnHostOnly(build(closing.is_set), port)
        wait(listings, timeout=max(0.0, began + _READY_WITHIN - time.monotonic()))
        asyncio.run(_answer(app, listener, closing, _welcome(port, time.monotonic() - began, system.log_dir)))
        # What still runs now fails because its world ends; that is no news.
        logging.disable(logging.CRITICAL)


async def _answer(app: object, listener: socket.socket, closing: threading.Event, welcome: str) -> None:
    """Answer requests until a signal comes; then end what waits and let the rest finish."""
    import uvicorn  # noqa: PLC0415  (imported while the servers are starting)

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Signals are ours: uvicorn's own way would end the process before the rest is cleaned up."""
            yield

    config = uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=_LAST_REQUESTS,
    )
    server = Server(config)

    def stop() -> None:
        closing.set()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    print(welcome, flush=True)  # noqa: T201  (this is what the command says)
    await server.serve(sockets=[listener])


def _welcome(port: int, seconds: float, log_dir: object) -> str:
    url = f"http://{HOST}:{port}"
    return "\n".join(
        [
            f"ready on {url} after {seconds:.1f} s",
            "Everything here is in memory: sessions and files are gone when this stops (Ctrl-C).",
            f"What the tool servers print goes to {log_dir}",
            "Try, in another terminal:",
            """  .venv/bin/satchel ask '/calculator.evaluate {"expression": "234*97"}'""",
            "",
        ],
    )
