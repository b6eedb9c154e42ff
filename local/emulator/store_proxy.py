"""ASGI middleware that makes presigned URLs work for other machines: it forwards them to the store on this machine.

The store of the emulated AWS listens on a loopback port. Its presigned URLs get the prefix ``/store`` on the server's
own origin. The store still checks each signature, so the prefix needs no session, like S3.
"""

from collections.abc import AsyncIterator

import httpx2
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from local.emulator.access_checks import LOOPBACK_NAMES
from satchel.domain.errors import NotAllowed
from satchel.entrypoints.http.problems import problem_response
from satchel.entrypoints.http.routers.downloads import refuse_as_code

_PREFIX = "/store"
_UPLOADS = "/api/files/uploads"
_METHODS = {"GET", "HEAD", "PUT"}
_REQUEST_HEADERS = {"content-length", "content-type", "if-match", "if-none-match", "if-range", "range"}
_RESPONSE_HEADERS = {
    *(
        "accept-ranges",
        "content-disposition",
        "content-length",
        "content-range",
        "content-type",
        "etag",
        "last-modified",
    )
}
# Files of tools have the origin of the page here, so they get the headers of other downloads.
_SAFE = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
}
_TIMEOUT = httpx2.Timeout(60, pool=None)


class StoreProxy:
    """Forwards ``/store`` to the store at ``store_url``, and replaces the store's URLs in the responses of ``app``.

    ``public_url`` is the origin at which users on other machines reach this server. In tests, ``transport`` answers
    instead of the store.
    """

    def __init__(
        self, app: ASGIApp, store_url: str, public_url: str, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._app = app
        self._store_url = store_url
        self._public_url = public_url
        limits = httpx2.Limits(max_connections=None)
        self._client = httpx2.AsyncClient(timeout=_TIMEOUT, trust_env=False, limits=limits, transport=transport)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to the store or to the API."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"].startswith(f"{_PREFIX}/"):
            await (await self._forward(Request(scope, receive)))(scope, receive, send)
        elif scope["method"] == "POST" and scope["path"].startswith(_UPLOADS):
            await self._replace_in_body(scope, receive, send)
        else:
            await self._app(scope, receive, self._replace_in_location(send))

    async def _forward(self, request: Request) -> Response:
        if request.method not in _METHODS:
            return problem_response(405, "E_METHOD_NOT_ALLOWED", "The store accepts GET, HEAD and PUT.")
        try:
            refuse_as_code(request.headers.get("sec-fetch-dest"))
        except NotAllowed as error:
            return problem_response(403, error.code, error.message)
        path: bytes = request.scope["raw_path"].removeprefix(_PREFIX.encode())
        url = httpx2.URL(self._store_url).copy_with(raw_path=path + b"?" + request.scope["query_string"])
        headers = {
            name: value
            for name, value in request.headers.items()
            if name in _REQUEST_HEADERS or name.startswith("x-amz-")
        }
        content = request.stream() if request.method == "PUT" else None
        message = self._client.build_request(request.method, url, headers=headers, content=content)
        try:
            response = await self._client.send(message, stream=True)
        except (httpx2.HTTPError, ClientDisconnect):
            return problem_response(503, "E_UNAVAILABLE", "The store did not answer.")
        returned = {name: value for name, value in response.headers.items() if name in _RESPONSE_HEADERS}
        return StreamingResponse(_body(response), response.status_code, headers=returned | _SAFE)

    def _replace_in_location(self, send: Send) -> Send:
        async def replace(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith(self._store_url):
                    headers["location"] = _PREFIX + headers["location"].removeprefix(self._store_url)
            await send(message)

        return replace

    async def _replace_in_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request without compression, and replace the store's URLs in its short response."""
        headers = Headers(scope=scope)
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        start: Message = {}
        body = b""

        async def collect(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if not message.get("more_body"):
                text = body.replace(self._store_url.encode(), f"{self._origin(headers)}{_PREFIX}".encode())
                MutableHeaders(scope=start)["content-length"] = str(len(text))
                await send(start)
                await send({**message, "body": text})

        await self._app({**scope, "headers": plain}, receive, collect)

    def _origin(self, headers: Headers) -> str:
        """Return the origin that the client used, which ``HostAndOriginCheck`` has checked.

        A reverse proxy may replace the host by the loopback address, but not the origin.
        """
        host = headers.get("host", "")
        name = host.rpartition(":")[0].strip("[]")
        is_public = name not in LOOPBACK_NAMES or headers.get("origin") == self._public_url
        return self._public_url if is_public else f"http://{host}"


async def _body(response: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in response.aiter_raw():
            yield chunk
    finally:
        await response.aclose()
