"""Serves the frame for the apps of MCP servers on a port of its own. On AWS, a second distribution does that."""

from collections.abc import Iterable
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from infra.app_sandbox import sandbox_headers, sandbox_page, with_policy


class AppSandbox:
    """ASGI application with one page. ``pages`` are the origins whose page may show it in a frame."""

    def __init__(self, pages: Iterable[str]) -> None:
        self._headers = sandbox_headers(pages)
        self._page = sandbox_page()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond with the page and the policy of the address, or with 404."""
        if scope["type"] == "http":
            await self._response(Request(scope))(scope, receive, send)

    def _response(self, request: Request) -> Response:
        headers = with_policy(self._headers, request.query_params.get("csp", ""))
        if request.url.path != "/" or request.method not in {"GET", "HEAD"} or headers is None:
            return PlainTextResponse("Not found\n", HTTPStatus.NOT_FOUND)
        return Response(self._page, headers=headers)
