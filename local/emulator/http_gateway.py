"""The emulator's HTTP server: serves the web client, and forwards API requests.

uvicorn replaces API Gateway, and ``WebClient`` replaces CloudFront.
"""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.page_headers import page_headers
from infra.sources import ROOT
from local.emulator.settings import socket_origin
from satchel.settings import CanvasSettings

BUILT = ROOT / "web" / "dist"
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


Listener = tuple[ASGIApp, socket.socket]
"""An application and the port at which it is served."""


async def serve(
    app: ASGIApp,
    listener: socket.socket,
    close: Callable[[], None],
    ready: Callable[[], None],
    more: Sequence[Listener] = (),
) -> None:
    """Serve ``app`` and ``more`` until SIGINT or SIGTERM, then finish open requests and return.

    Call ``ready`` after the startup of ``app``. The signal first calls ``close``, which makes long-poll requests return
    at once.
    """
    listeners = [(app, listener), *more]
    servers = [_Server(server_config(each), ready if each is app else _do_nothing) for each, _ in listeners]

    def stop() -> None:
        close()
        for server in servers:
            server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    serving = (server.serve(sockets=[port]) for server, (_, port) in zip(servers, listeners, strict=True))
    await asyncio.gather(*serving)


def _do_nothing() -> None:
    """Ignore that a server has started."""


def server_config(app: ASGIApp) -> uvicorn.Config:
    """Return the configuration of the HTTP server, without its socket."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws_max_size=_MAX_MESSAGE_BYTES,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )


def web_client_headers(url: str, store: str, apps: str = "") -> dict[str, str]:
    """Return the HTTP headers for the web client's files.

    ``url`` is the origin of the web client. ``store`` is the origin of presigned S3 URLs. ``apps`` is the
    origin of the frame for apps, if there is one.
    """
    dashboards = CanvasSettings().canvas_origins
    return page_headers(store=store, sockets=socket_origin(url), dashboards=dashboards, apps=apps)


class WebClient:
    """ASGI middleware that serves the web client's files and forwards API and WebSocket requests to ``app``.

    ``built`` is the folder of the files. ``headers`` are added to each response that serves a file. ``auth`` is the
    sign-in method, which ``/config.json`` tells the page (web/src/auth/identity.ts), and ``apps`` the origin of the
    frame for apps, if there is one.
    """

    def __init__(
        self, app: ASGIApp, headers: Mapping[str, str], built: Path = BUILT, auth: str = "local", apps: str = ""
    ) -> None:
        self._app = app
        self._headers = headers
        self._files = _static_files(built, {"auth": auth, **({"apps": apps} if apps else {})})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a file of the web client, or forward the request to ``app`` if it is an API or WebSocket request."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path in _API_PATHS or path.startswith(("/api/", "/auth/")):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_immutable = path.startswith("/assets/") and message["status"] == HTTPStatus.OK
                headers = MutableHeaders(scope=message)
                headers.update({**self._headers, "Cache-Control": _IMMUTABLE if is_immutable else _NO_CACHE})
            await send(message)

        await self._files(scope, receive, send_with_headers)


def _static_files(built: Path, page_config: Mapping[str, str]) -> ASGIApp:
    if not (built / "index.html").exists():
        return PlainTextResponse(_NOT_BUILT, status_code=HTTPStatus.NOT_FOUND)

    async def config(_request: Request) -> JSONResponse:
        return JSONResponse(dict(page_config))

    files = StaticFiles(directory=built, html=True)
    return Starlette(routes=[Route("/config.json", config), Mount("/", files)])
