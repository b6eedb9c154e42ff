"""The emulator's HTTP server: checks the Host and Origin headers, serves the web client, and forwards API requests.

uvicorn replaces API Gateway, and ``WebClient`` replaces CloudFront.
"""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from infra.page_headers import page_headers
from infra.sources import ROOT
from satchel.entrypoints.http.problems import problem_response
from satchel.settings import CanvasSettings

BUILT = ROOT / "web" / "dist"
SIGN_IN = {"auth": "local"}
"""The content of ``/config.json``, which tells the web page how users sign in (web/src/auth/identity.ts)."""

_HTTP_PORT = 80
_LOOPBACK_NAMES = {"127.0.0.1", "localhost", "::1"}
_MAX_MESSAGE_BYTES = 128 << 10  # bytes; API Gateway's limit for one WebSocket message
_SHUTDOWN_SECONDS = 2  # seconds that the stopping server waits for open requests to finish
_IMMUTABLE = "public, max-age=31536000, immutable"  # safe to cache forever: file names contain a hash of the content
_NO_CACHE = "no-cache"
_API_PATHS = {"/api", "/.well-known/jwks.json"}  # API paths in addition to those below /api/, as in CloudFront
_NOT_BUILT = "The web client is not built. `make run` builds it if npm is installed. The API is at /api/.\n"


class _Server(uvicorn.Server):
    """uvicorn server that calls ``ready`` after startup and installs no signal handlers.

    uvicorn's own signal handlers would end the process before the emulator has cleaned up.
    """

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
    """Serve ``app`` until SIGINT or SIGTERM, then finish open requests and return. Call ``ready`` after startup.

    The signal sets ``closing``, which makes long-poll requests return at once.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws_max_size=_MAX_MESSAGE_BYTES,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    server = _Server(config, ready)

    def stop() -> None:
        closing.set()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await server.serve(sockets=[listener])


class HostAndOriginCheck:
    """ASGI middleware that rejects requests from other web sites to this loopback server.

    Any web page can make a browser send requests to 127.0.0.1. The Host header check stops foreign host names that
    resolve to this machine (DNS rebinding); the Origin header check stops pages of other sites.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, or respond with 403 if its Host or Origin header does not name this server."""
        if scope["type"] in {"http", "websocket"}:
            hosts, origins = _header_values(scope, b"host"), _header_values(scope, b"origin")
            if not hosts or not all(self._is_this_server(f"//{host}") for host in hosts):
                await _refuse("This server only accepts its own host name.", scope, receive, send)
                return
            if not all(origin.startswith("http://") and self._is_this_server(origin) for origin in origins):
                await _refuse("This server only accepts requests of its own pages.", scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_this_server(self, url: str) -> bool:
        try:
            parts = urlsplit(url)
            port = parts.port or _HTTP_PORT
        except ValueError:
            return False
        return parts.hostname in _LOOPBACK_NAMES and port == self._port


async def _refuse(reason: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with 403. Close a WebSocket, because uvicorn reports a response instead of a handshake as an error."""
    refusal = WebSocketClose() if scope["type"] == "websocket" else problem_response(403, "E_FORBIDDEN", reason)
    await refusal(scope, receive, send)


def _header_values(scope: Scope, name: bytes) -> list[str]:
    """Return all values of a header. Checking only the first would let a client hide a bad value behind a good one."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def web_client_headers(port: int, store: str) -> dict[str, str]:
    """Return the HTTP headers for the web client's files. ``store`` is the base URL of presigned S3 URLs."""
    dashboards = CanvasSettings().canvas_origins
    return page_headers(store=store, sockets=f"ws://127.0.0.1:{port}", dashboards=dashboards)


class WebClient:
    """ASGI middleware that serves the web client's files and forwards API and WebSocket requests to ``app``.

    ``built`` is the folder of the files. ``headers`` are added to each response that serves a file.
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str], built: Path = BUILT) -> None:
        self._app = app
        self._headers = headers
        self._files = _static_files(built)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a file of the web client, or forward the request to ``app`` if it is an API or WebSocket request."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path in _API_PATHS or path.startswith("/api/"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_immutable = path.startswith("/assets/") and message["status"] == HTTPStatus.OK
                headers = MutableHeaders(scope=message)
                headers.update({**self._headers, "Cache-Control": _IMMUTABLE if is_immutable else _NO_CACHE})
            await send(message)

        await self._files(scope, receive, send_with_headers)


def _static_files(built: Path) -> ASGIApp:
    if not (built / "index.html").exists():
        return PlainTextResponse(_NOT_BUILT, status_code=HTTPStatus.NOT_FOUND)
    files = StaticFiles(directory=built, html=True)
    return Starlette(routes=[Route("/config.json", _config), Mount("/", files)])


async def _config(_request: Request) -> JSONResponse:
    return JSONResponse(SIGN_IN)
