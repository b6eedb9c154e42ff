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
            hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
            if not hosts or not all(self._is_ours(f"//{host}") for host in hosts):
                await problem(403, "E_FORBIDDEN", "This server answers to its own host name only.")(
                    scope, receive, send
                )
                return
            if not all(origin.startswith("http://") and self._is_ours(origin) for origin in origins):
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


def _values(scope: Scope, name: bytes) -> list[str]:
    """Return all that a header was given: who sends two must not have the choice which one counts."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
