"""What stands before the API on one machine: only pages and programs that mean this very server get in.

A browser sends a request of any page to 127.0.0.1; the Host header stops names that were pointed here (DNS rebinding),
the Origin header stops other sites.
"""

from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.entrypoints.http.problems import problem

_HTTP_PORT = 80
_NAMES = {"127.0.0.1", "localhost", "::1"}


class OwnHostOnly:
    """ASGI middleware for a loopback server on ``port``."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is addressed to us and comes from nowhere else."""
        if scope["type"] in {"http", "websocket"}:
            headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
            host, origin = headers.get(b"host", ""), headers.get(b"origin")
            if not self._is_ours(f"//{host}"):
                await problem(403, "E_FORBIDDEN", "This server answers to its own host name only.")(
                    scope, receive, send
                )
                return
            if origin is not None and not (origin.startswith("http://") and self._is_ours(origin)):
                await problem(403, "E_FORBIDDEN", "This server answers to its own pages only.")(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_ours(self, address: str) -> bool:
        try:
            parts = urlsplit(address)
            port = parts.port or _HTTP_PORT
        except ValueError:
            return False
        return parts.hostname in _NAMES and port == self._port
