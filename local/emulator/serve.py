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
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local.emulator.runners.fork_server import PRELOAD, ForkServer

if TYPE_CHECKING:
    from local.emulator.entrance import Entrance
    from local.emulator.settings import AccessSettings
    from local.emulator.system import System
    from satchel.domain.isolation import Isolation

_PAGE_HOSTS = ("127.0.0.1", "localhost")  # browsers accept no address in brackets in frame-ancestors
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_TOOL_LIST_TIMEOUT = 4.0  # seconds after the start; then the server reports ready even if tool lists are missing
_MAX_REASON_CHARS = 300


def run(port: int, host: str = "127.0.0.1") -> int:
    """Run the emulator. Return the exit code: 0 after a requested stop, 1 if the emulator cannot start.

    ``host`` is the address to listen on. Other addresses than loopback need password mode, because with the key of the
    local run a client may act as any user.
    """
    started = time.monotonic()
    if host not in _LOOPBACK and os.environ.get("SATCHEL_AUTH") != "password":
        return _fail(f"SATCHEL_HOST={host}: other machines may reach the server only with SATCHEL_AUTH=password")
    gc.disable()  # off until the server is ready: imports leave no garbage, and scanning takes a fifth of the startup
    # FastAPI would import it, which takes 0.1 s. Nothing here checks e-mail addresses, and deployed functions lack it.
    sys.modules.setdefault("email_validator", None)  # type: ignore[arg-type]  # Python documents that this prevents it
    signal.signal(signal.SIGTERM, _stop_early)
    try:
        listener = listen(port, host)
    except OSError as error:
        number = error.errno or 0  # below zero: an error of the resolver of host names
        reason = os.strerror(number) if number > 0 else error.strerror
        return _fail(f"cannot listen on {host}:{port}: {reason}")
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    try:
        # Start it first: its imports take as long as this process's, and run on another processor meanwhile.
        with closing(ForkServer(PRELOAD)) as fork_server:
            from local.emulator.data.folder import DataFolderError  # noqa: PLC0415  (a slow import)
            from local.emulator.startup import StartupError  # noqa: PLC0415  (a slow import)

            try:
                _run_system(listener, fork_server, started)
            except (DataFolderError, StartupError) as error:
                return _fail(str(error))
    except (KeyboardInterrupt, SystemExit):
        return 0
    return 0


def listen(port: int, host: str = "127.0.0.1") -> socket.socket:
    """Open the port and return its socket. Clients that connect early wait until the server is ready.

    Raise OSError if the port is in use, or this machine does not have the address.
    """
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def _listen_for_apps(host: str) -> socket.socket:
    """Open the port of the frame for apps. Raise StartupError if it is in use."""
    from local.emulator.settings import MachineSettings  # noqa: PLC0415  (a slow import)
    from local.emulator.startup import StartupError  # noqa: PLC0415  (a slow import)

    port = MachineSettings().apps_port
    try:
        return listen(port, host)
    except OSError as error:
        raise StartupError(f"SATCHEL_APPS_PORT={port}: {error.strerror}") from error


def _fail(reason: str) -> int:
    print(f"satchel: {reason}", file=sys.stderr)  # noqa: T201
    return 1


def _stop_early(*_signal: object) -> None:
    """Handle SIGTERM during startup: raise SystemExit, so that all parts that have already started are stopped."""
    raise SystemExit(0)


def _run_system(listener: socket.socket, fork_server: ForkServer, started: float) -> None:
    from local.emulator.startup import (  # noqa: PLC0415  (a slow import)
        access_settings,
        server_problems,
        take_local_key,
    )
    from local.emulator.system import System  # noqa: PLC0415  (a slow import)
    from satchel.adapters.sandbox.limits import hide_this_process  # noqa: PLC0415  (a slow import)

    # Tools run as the same OS user, but must not read this process's memory with the key and all users' files.
    hide_this_process()
    key = take_local_key()
    host, port, *_ = listener.getsockname()
    access = access_settings(host)
    with System(port, access.public_url, fork_server) as system:
        from local.emulator.entrance import key_entrance, password_entrance  # noqa: PLC0415  (a slow import)

        is_shared = access.auth == "password"
        with password_entrance(port, access) if is_shared else key_entrance(port, key, system.servers) as entrance:
            for problem in server_problems():
                print(problem, file=sys.stderr, flush=True)  # noqa: T201  (the output of the command)
            _serve_http(system, listener, entrance, access, started)
        # When the system stops, unfinished work fails; logging these failures would be noise.
        logging.disable(logging.CRITICAL)
    for line in _leftovers(system):
        print(line)  # noqa: T201


def _serve_http(
    system: "System", listener: socket.socket, entrance: "Entrance", access: "AccessSettings", started: float
) -> None:
    """Serve the API and the web client until Ctrl-C or SIGTERM."""
    # System validates the settings before these slow imports, so that an invalid setting is reported sooner.
    from local.emulator.access_checks import HostAndOriginCheck, allow_origins  # noqa: PLC0415
    from local.emulator.app_sandbox import AppSandbox  # noqa: PLC0415
    from local.emulator.aws.moto_patches import dynamodb_streams  # noqa: PLC0415
    from local.emulator.functions import invoke_websocket_function  # noqa: PLC0415
    from local.emulator.http_gateway import WebClient, serve, web_client_headers  # noqa: PLC0415
    from local.emulator.resumption import resume_turns  # noqa: PLC0415
    from local.emulator.storage import SynchronizedResponses, report_storage_errors  # noqa: PLC0415
    from local.emulator.store_proxy import StoreProxy  # noqa: PLC0415
    from local.emulator.turn_changes import TurnChanges  # noqa: PLC0415
    from local.emulator.websocket_gateway import WebSocketGateway  # noqa: PLC0415
    from satchel.bootstrap import end_startup  # noqa: PLC0415
    from satchel.bootstrap.api import build_app  # noqa: PLC0415
    from satchel.bootstrap.process import isolation  # noqa: PLC0415

    changes = TurnChanges()
    dynamodb_streams.set_listener(changes.notify)
    api = report_storage_errors(
        build_app(changes.is_closed, changes.watch, entrance.read_identity, entrance.find_current)
    )
    synchronized = SynchronizedResponses(api, system.store)
    checked = entrance.protect(WebSocketGateway(synchronized, invoke_websocket_function))
    host, port, *_ = listener.getsockname()
    apps_listener = _listen_for_apps(host)
    apps = access.apps_url or ("" if access.public_url else f"http://127.0.0.1:{apps_listener.getsockname()[1]}")
    pages = [entrance.url, *(f"http://{name}:{port}" for name in _PAGE_HOSTS)]
    sandbox = AppSandbox(dict.fromkeys(pages))
    other_origins = access.page_origins
    if entrance.is_shared:
        page = WebClient(checked, web_client_headers(entrance.url, entrance.url, apps), auth="password", apps=apps)
        checked_page = HostAndOriginCheck(
            StoreProxy(page, system.store_url, entrance.url), port, entrance.url, other_origins
        )
    else:
        checked_page = HostAndOriginCheck(
            WebClient(checked, web_client_headers(entrance.url, system.store_url, apps), apps=apps),
            port,
            other_origins=other_origins,
        )
    app = allow_origins(checked_page, other_origins)
    listings = system.listings
    resume_turns()
    wait(listings.values(), timeout=max(0.0, started + _TOOL_LIST_TIMEOUT - time.monotonic()))
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    logs, data = system.run_folder.logs, system.data_folder
    message = ReadyMessage(address, entrance, listings, logs, changes.is_closed, isolation(), data)
    end_startup()
    gc.freeze()  # later garbage collections skip the objects that exist now, which live until the process ends
    gc.enable()
    asyncio.run(
        serve(
            app,
            listener,
            changes.close,
            ready=lambda: message.show(time.monotonic() - started),
            more=[(sandbox, apps_listener)],
        )
    )


def _leftovers(system: "System") -> list[str]:
    folder = system.run_folder
    logs = [f"The output of the tool servers is kept in {folder.logs}"] if folder.has_logs else []
    return logs + [f"/tmp/{user} was not removed: another program uses it" for user in system.remaining_workspaces]  # noqa: S108


@dataclass(frozen=True)
class ReadyMessage:
    """Prints that ``satchel serve`` is ready, and one line for each MCP server whose tools cannot be listed.

    ``address`` is the one that the server listens on. ``listings`` maps each server's name to the future of its tool
    list. After ``is_closing`` returns True, no failure is printed. ``data`` is the folder in which the data stay, or
    None if they are in memory.
    """

    address: str
    entrance: "Entrance"
    listings: Mapping[str, Future[Any]]
    logs: Path
    is_closing: Callable[[], bool]
    isolation: "Isolation"
    data: Path | None

    def show(self, seconds: float) -> None:
        """Print that the server became ready in ``seconds``, and the servers whose tools could not be listed so far.

        If the tools of another server cannot be listed later, a further line is printed then.
        """
        lines = [
            f"ready on {self.address} after {seconds:.1f} s",
            f"Open {self.entrance.page_url}",
            *self.entrance.notes,
            f"All chats and files stay in {self.data}"
            if self.data
            else "All data are in memory: chats and files are gone after a stop (Ctrl-C).",
            f"The output of the tool servers goes to {self.logs}",
            f"Tool isolation: level {self.isolation.level!r} ({self._layers()}); see satchel doctor.",
            "Try, in another terminal:",
            """  .venv/bin/satchel ask '/calculator.evaluate {"expression": "234*97"}'""",
            "",
        ]
        print("\n".join(lines), flush=True)  # noqa: T201  (one write: who reads that it is ready reads the rest as well)
        for server, listing in self.listings.items():
            listing.add_done_callback(partial(self._show_failure, server))

    def _layers(self) -> str:
        return ", ".join(sorted(self.isolation.layers)) or "no kernel features"

    def _show_failure(self, server: str, listing: Future[Any]) -> None:
        if listing.cancelled() or self.is_closing():
            return
        error = listing.exception()
        if error is not None:
            reason = textwrap.shorten(str(error), _MAX_REASON_CHARS, placeholder=" …")
            print(f"No tools of {server!r}: {reason}", flush=True)  # noqa: T201  (the output of the command)
