"""``satchel serve``: the whole system on this machine, until Ctrl-C or SIGTERM."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from concurrent.futures import wait
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from local.system import System

HOST = "127.0.0.1"
_READY_WITHIN = 4.0  # seconds that the tools may take before the door opens without them


def run(port: int) -> int:
    """Serve on 127.0.0.1 and return the exit code: 0 after a stop that was asked for, 1 where it cannot start."""
    began = time.monotonic()
    gc.disable()  # until it is ready: what is imported stays, and to look through it takes a fifth of the time
    signal.signal(signal.SIGTERM, _stop_early)
    try:
        listener = listen(port)
    except OSError as error:
        return _fail(f"cannot listen on {HOST}:{port}: {os.strerror(error.errno or 0)}")
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    try:
        from local.startup import CannotStartError  # noqa: PLC0415  (what is behind it takes a second to import)

        try:
            _serve(listener, began)
        except CannotStartError as error:
            return _fail(str(error))
    except (KeyboardInterrupt, SystemExit):
        return 0
    return 0


def listen(port: int) -> socket.socket:
    """Take the port at once, so that who comes early waits instead of being refused. Raises OSError if it is taken."""
    return socket.create_server((HOST, port))


def _fail(reason: str) -> int:
    print(f"satchel: {reason}", file=sys.stderr)  # noqa: T201
    return 1


def _stop_early(*_signal: object) -> None:
    """A stop while the system is being put up unwinds what stands so far."""
    raise SystemExit(0)


def _serve(listener: socket.socket, began: float) -> None:
    from local.system import System  # noqa: PLC0415  (AWS's stand-in takes a second to import)
    from satchel.adapters.sandbox.limits import hide_this_process  # noqa: PLC0415  (the same)

    hide_this_process()  # it holds everybody's files, and the tools that it starts are the same user's
    port = listener.getsockname()[1]
    with System(port) as system:
        _answer(system, listener, port, began)
        # What still runs now fails because its world ends; that is no news.
        logging.disable(logging.CRITICAL)
    for line in _left_behind(system):
        print(line)  # noqa: T201


def _answer(system: "System", listener: socket.socket, port: int, began: float) -> None:
    """Put the API before the system and answer until the stop."""
    from local.api_server import serve  # noqa: PLC0415  (imports take their time: first what may be refused)
    from local.gateway import OwnHostOnly  # noqa: PLC0415  (the same)
    from local.page import Page, headers_here  # noqa: PLC0415  (the same)
    from local.socket_gateway import SocketGateway  # noqa: PLC0415  (the same)
    from local.sockets import call_sockets  # noqa: PLC0415  (the same)
    from local.welcome import Welcome  # noqa: PLC0415  (the same)
    from satchel.bootstrap.api import build  # noqa: PLC0415  (the same)
    from satchel.bootstrap.isolation import isolation  # noqa: PLC0415  (the same)

    closing = threading.Event()
    page = Page(SocketGateway(build(closing.is_set), call_sockets), headers_here(port, system.store_url))
    app = OwnHostOnly(page, port)
    listings = system.list_tools()
    wait(listings.values(), timeout=max(0.0, began + _READY_WITHIN - time.monotonic()))
    welcome = Welcome(f"http://{HOST}:{port}", listings, system.folder.logs, closing, isolation())
    gc.freeze()  # what stands by now stands until the stop
    gc.enable()
    asyncio.run(serve(app, listener, closing, ready=lambda: welcome.say(time.monotonic() - began)))


def _left_behind(system: "System") -> list[str]:
    kept = [f"What the tool servers printed is kept in {system.folder.logs}"] if system.folder.is_kept else []
    return kept + [f"/tmp/{person} is left: another program uses it" for person in system.left_corners]  # noqa: S108
