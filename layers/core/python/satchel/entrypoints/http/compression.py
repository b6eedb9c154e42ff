"""Middleware that compresses responses for clients that accept gzip, except downloads of files."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_DOWNLOADS = "/api/files/download/"
_MIN_BYTES = 1024
_LEVEL = 5  # higher levels take twice the time and save under 2 % of the JSON of a conversation


class Compression:
    """Compress responses of 1 KB and more.

    Downloads stay as they are: their ranges, lengths and ETags are those of the stored file, and most file formats are
    compressed already.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressed = GZipMiddleware(app, minimum_size=_MIN_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Compress the response, unless the request is for a download or no HTTP request at all."""
        compresses = scope["type"] == "http" and not scope["path"].startswith(_DOWNLOADS)
        await (self._compressed if compresses else self._app)(scope, receive, send)
