"""CloudFront on one machine: the built web client at ``/``, before the API, with the headers that it has deployed."""

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.page_headers import page_headers
from infra.sources import ROOT
from satchel.settings import CanvasSettings

BUILT = ROOT / "web" / "dist"
SIGN_IN = {"auth": "local"}
"""What ``/config.json`` tells the page: how one signs in here (web/src/session/settings.ts)."""

_FOREVER = "public, max-age=31536000, immutable"  # a built file's name holds a hash of what is in it
_ASK_AGAIN = "no-cache"
_NOT_BUILT = "The web client is not built; make run builds it where there is npm. The API is at /api/.\n"


def headers_here(port: int, store: str) -> dict[str, str]:
    """Return the page's headers on this machine. ``store`` is the URL that presigned URLs begin with."""
    dashboards = CanvasSettings().canvas_origins
    return page_headers(store=store, sockets=f"ws://127.0.0.1:{port}", dashboards=dashboards)


class Page:
    """ASGI middleware: files of ``built`` go with ``headers``; what begins with /api is the app's, and so is /ws."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str], built: Path = BUILT) -> None:
        self._app = app
        self._headers = headers
        self._page = _page(built)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a file, or pass on."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path == "/api" or path.startswith("/api/"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                lasts = path.startswith("/assets/") and message["status"] == HTTPStatus.OK
                said = MutableHeaders(scope=message)
                said.update({**self._headers, "Cache-Control": _FOREVER if lasts else _ASK_AGAIN})
            await send(message)

        await self._page(scope, receive, send_with_headers)


def _page(built: Path) -> ASGIApp:
    if not (built / "index.html").exists():
        return PlainTextResponse(_NOT_BUILT, status_code=HTTPStatus.NOT_FOUND)
    files = StaticFiles(directory=built, html=True)
    return Starlette(routes=[Route("/config.json", _tell_sign_in), Mount("/", files)])


async def _tell_sign_in(_request: Request) -> JSONResponse:
    return JSONResponse(SIGN_IN)
