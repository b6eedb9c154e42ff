"""``satchel serve``: run the emulator until Ctrl-C or SIGTERM.

Importing this module is cheap. ``run`` makes the expensive imports (a second of CPU time) after opening the port.
"""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import textwrap
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from local.emulator.system import System
    from satchel.domain.isolation import Isolation

HOST = "127.0.0.1"
_TOOL_LIST_TIMEOUT = 4.0  # seconds after the start; then the server reports ready even if tool lists are missing
_MAX_REASON_CHARS = 300


def run(port: int) -> int:
    """Run the emulator on 127.0.0.1. Return the exit code: 0 after a requested stop, 1 if the emulator cannot start."""
    started = time.monotonic()
    gc.disable()  # off until the server is ready: imports leave no garbage, and scanning takes a fifth of the startup
    signal.signal(signal.SIGTERM, _stop_early)
    try:
        listener = listen(port)
    except OSError as error:
        return _fail(f"cannot listen on {HOST}:{port}: {os.strerror(error.errno or 0)}")
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    try:
        from local.emulator.startup import StartupError  # noqa: PLC0415  (a slow import)

        try:
            _run_system(listener, started)
        except StartupError as error:
            return _fail(str(error))
    except (KeyboardInterrupt, SystemExit):
        return 0
    return 0


def listen(port: int) -> socket.socket:
    """Open the port and return its socket. Clients that connect early wait until the server is ready.

    Raise OSError if the port is in use.
    """
    return socket.create_server((HOST, port))


def _fail(reason: str) -> int:
    print(f"satchel: {reason}", file=sys.stderr)  # noqa: T201
    return 1


def _stop_early(*_signal: object) -> None:
    """Handle SIGTERM during startup: raise SystemExit, so that all parts that have already started are stopped."""
    raise SystemExit(0)


def _run_system(listener: socket.socket, started: float) -> None:
    from local.emulator.published_key import published_key  # noqa: PLC0415  (a slow import)
    from local.emulator.startup import take_local_key  # noqa: PLC0415  (a slow import)
    from local.emulator.system import System  # noqa: PLC0415  (a slow import)
    from satchel.adapters.sandbox.limits import hide_this_process  # noqa: PLC0415  (a slow import)

    # Tools run as the same OS user, but must not read this process's memory with the key and all users' files.
    hide_this_process()
    key = take_local_key()
    port = listener.getsockname()[1]
    with System(port) as system, published_key(port, key, system.servers) as key_note:
        _serve_http(system, listener, ServerAddress(port, key, key_note), started)
        # When the system stops, unfinished work fails; logging these failures would be noise.
        logging.disable(logging.CRITICAL)
    for line in _leftovers(system):
        print(line)  # noqa: T201


@dataclass(frozen=True)
class ServerAddress:
    """The port of the server, the key that its API needs, and one line that says where other clients get the key."""

    port: int
    key: str
    key_note: str

    @property
    def url(self) -> str:
        """Return the base URL, without the key."""
        return f"http://{HOST}:{self.port}"

    @property
    def page_url(self) -> str:
        """Return the URL that gives the key to the page. A browser never sends the part after ``#`` to a server."""
        return f"{self.url}/#key={self.key}"


def _serve_http(system: "System", listener: socket.socket, address: ServerAddress, started: float) -> None:
    """Serve the API and the web client until Ctrl-C or SIGTERM."""
    # System validates the settings before these slow imports, so that an invalid setting is reported sooner.
    from local.emulator.access_checks import HostAndOriginCheck, KeyCheck  # noqa: PLC0415
    from local.emulator.functions import invoke_websocket_function  # noqa: PLC0415
    from local.emulator.http_gateway import WebClient, serve, web_client_headers  # noqa: PLC0415
    from local.emulator.websocket_gateway import WebSocketGateway  # noqa: PLC0415
    from satchel.bootstrap.api import build_app  # noqa: PLC0415
    from satchel.bootstrap.process import isolation  # noqa: PLC0415

    closing = threading.Event()
    api = WebSocketGateway(build_app(closing.is_set), invoke_websocket_function)
    page_headers = web_client_headers(address.port, system.store_url)
    app = HostAndOriginCheck(WebClient(KeyCheck(api, address.key), page_headers), address.port)
    listings = system.list_tools()
    wait(listings.values(), timeout=max(0.0, started + _TOOL_LIST_TIMEOUT - time.monotonic()))
    message = ReadyMessage(address, listings, system.run_folder.logs, closing, isolation())
    gc.freeze()  # later garbage collections skip the objects that exist now, which live until the process ends
    gc.enable()
    asyncio.run(serve(app, listener, closing, ready=lambda: message.show(time.monotonic() - started)))


def _leftovers(system: "System") -> list[str]:
    folder = system.run_folder
    logs = [f"The output of the tool servers is kept in {folder.logs}"] if folder.exists else []
    return logs + [f"/tmp/{user} was not removed: another program uses it" for user in system.remaining_workspaces]  # noqa: S108


@dataclass(frozen=True)
class ReadyMessage:
    """Prints that ``satchel serve`` is ready, and one line for each MCP server whose tools cannot be listed.

    ``listings`` maps each server's name to the future of its tool list. After ``closing`` is set, no failure is
    printed.
    """

    address: ServerAddress
    listings: Mapping[str, Future[Any]]
    logs: Path
    closing: threading.Event
    isolation: "Isolation"

    def show(self, seconds: float) -> None:
        """Print that the server became ready in ``seconds``, and the servers whose tools could not be listed so far.

        If the tools of another server cannot be listed later, a further line is printed then.
        """
        print(  # noqa: T201  (the output of the command)
            f"ready on {self.address.url} after {seconds:.1f} s",
            f"Open {self.address.page_url}",
            self.address.key_note,
            "All data are in memory: sessions and files are gone after a stop (Ctrl-C).",
            f"The output of the tool servers goes to {self.logs}",
            f"Tool isolation: level {self.isolation.level!r} ({self._layers()}); see satchel doctor.",
            "Try, in another terminal:",
            """  .venv/bin/satchel ask '/calculator.evaluate {"expression": "234*97"}'""",
            "",
            sep="\n",
            flush=True,
        )
        for server, listing in self.listings.items():
            listing.add_done_callback(partial(self._show_failure, server))

    def _layers(self) -> str:
        return ", ".join(sorted(self.isolation.layers)) or "no kernel features"

    def _show_failure(self, server: str, listing: Future[Any]) -> None:
        if listing.cancelled() or self.closing.is_set():
            return
        error = listing.exception()
        if error is not None:
            reason = textwrap.shorten(str(error), _MAX_REASON_CHARS, placeholder=" …")
            print(f"No tools of {server!r}: {reason}", flush=True)  # noqa: T201  (the output of the command)
