"""ASGI middleware that decides which requests reach the emulator: its own pages' requests, and those with the key.

On AWS, API Gateway validates users' tokens. On one machine, every process can connect to a loopback port, and every web
page can make a browser connect. The emulator believes the header that names the user, so each request needs the key.
In password mode, ``sign_in.gateway`` replaces the check of the key.
"""

import hmac
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from satchel.entrypoints.http.personal_tokens import personal_token
from satchel.entrypoints.http.problems import problem_response
from satchel.entrypoints.http.public_paths import is_public

LOOPBACK_NAMES = {"127.0.0.1", "localhost", "::1"}
_DEFAULT_PORTS = {"http": 80, "https": 443}
_Address = tuple[str, str, int]
_BEARER = "bearer"
_CORS_HEADERS = (
    *("authorization", "idempotency-key", "if-match", "if-none-match", "if-range", "prefer", "range"),
    *("x-satchel-client", "x-satchel-confirm", "x-satchel-groups", "x-satchel-user"),
)
_READABLE = ("accept-ranges", "content-disposition", "content-range", "etag", "preference-applied", "retry-after")
_DOWNLOAD = compile_path("/api/files/download/{file_key}")[0]


class HostAndOriginCheck:
    """ASGI middleware that rejects requests from other web sites to this server.

    Any web page can make a browser send requests to 127.0.0.1. The Host header check stops foreign host names that
    resolve to this machine (DNS rebinding); the Origin header check stops pages of other sites. Browsers send no Origin
    header with some requests, such as those for images; ``Sec-Fetch-Site`` then says whether the page is another one.

    The server's own names are those of the loopback address with its port, and the origin ``public_url`` if given.
    Pages of ``other_origins`` may send requests, too: the setting ``SATCHEL_OTHER_ORIGINS`` names them.
    """

    def __init__(
        self, app: ASGIApp, port: int, public_url: str | None = None, other_origins: Sequence[str] = ()
    ) -> None:
        self._app = app
        self._other_pages = {_address(origin) for origin in other_origins}
        self._addresses = {("http", name, port) for name in LOOPBACK_NAMES}
        if public_url and (address := _address(public_url)):
            self._addresses.add(address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, or respond with 403 if its Host or Origin header does not name this server."""
        if scope["type"] in {"http", "websocket"}:
            hosts, origins = _header_values(scope, b"host"), _header_values(scope, b"origin")
            if not hosts or not all(self._is_own_host(host) for host in hosts):
                await _refuse("This server only accepts its own host name.", scope, receive, send)
                return
            pages = self._addresses | self._other_pages
            is_known_origin = all((page := _address(origin)) is not None and page in pages for origin in origins)
            if not is_known_origin or (not origins and _is_foreign_request(scope)):
                await _refuse("This server only accepts requests of its own pages.", scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_own_host(self, host: str) -> bool:
        return any(_address(f"{scheme}://{host}") in self._addresses for scheme in _DEFAULT_PORTS)


def allow_origins(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    """Return the application with CORS for pages of these origins, which send a token and no cookies."""
    if not origins:
        return app
    return CORSMiddleware(
        app, allow_origins=list(origins), allow_methods=["*"], allow_headers=_CORS_HEADERS, expose_headers=_READABLE
    )


def _address(url: str) -> _Address | None:
    """Return scheme, host name and port of an address, or None if it is invalid."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return (parts.scheme, parts.hostname or "", port)


def _is_foreign_request(scope: Scope) -> bool:
    """Return True if a page of another origin sent the request, except for links to the page and to downloads."""
    sites, modes, uses = (
        _header_values(scope, name) for name in (b"sec-fetch-site", b"sec-fetch-mode", b"sec-fetch-dest")
    )
    if set(sites) <= {"same-origin", "none"} or _DOWNLOAD.match(scope["path"]):
        return False
    is_link = (modes, uses) == (["navigate"], ["document"]) and scope.get("method") == "GET"
    return not is_link or scope["path"].startswith("/api")


async def _refuse(reason: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with 403. Close a WebSocket, because uvicorn reports a response instead of a handshake as an error."""
    refusal = WebSocketClose() if scope["type"] == "websocket" else problem_response(403, "E_FORBIDDEN", reason)
    await refusal(scope, receive, send)


class KeyCheck:
    """ASGI middleware that rejects API requests without the emulator's key. It replaces API Gateway's token check.

    Public paths can be read without the key. WebSocket connections need a one-time ticket instead, which the API
    creates only for a request with the key. The API itself verifies personal tokens, which replace key and user.
    """

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, or respond with 401 if it needs the key and does not have it."""
        if scope["type"] != "http" or is_public(scope) or self._has_key(scope) or personal_token(scope):
            await self._app(scope, receive, send)
            return
        response = problem_response(
            401, "E_UNAUTHORIZED", "This server needs the key from the address that it printed when it started."
        )
        response.headers["WWW-Authenticate"] = "Bearer"
        await response(scope, receive, send)

    def _has_key(self, scope: Scope) -> bool:
        values = _header_values(scope, b"authorization")
        scheme, _, key = values[0].partition(" ") if len(values) == 1 else ("", "", "")
        return scheme.lower() == _BEARER and hmac.compare_digest(key.strip().encode(), self._key)


def _header_values(scope: Scope, name: bytes) -> list[str]:
    """Return all values of a header. Checking only the first would let a client hide a bad value behind a good one."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
