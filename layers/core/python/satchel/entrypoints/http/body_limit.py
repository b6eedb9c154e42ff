"""Middleware that rejects a request body over the size limit without reading all of it."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.entrypoints.http.problems import BodyTooLarge

_MAX_DIGITS = 18  # more digits exceed every limit and are not parsed, because int() is slow for long numbers


class BodyLimit:
    """Answer 413 if a request's body has more than ``max_bytes``, with or without a ``Content-Length`` header."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 413 if Content-Length is too large. Raise BodyTooLarge once too many bytes have been received."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._declares_too_much(scope):
            await BodyTooLarge(self._max_bytes).response()(scope, receive, send)
        else:
            await self._app(scope, self._count_bytes(receive), send)

    def _declares_too_much(self, scope: Scope) -> bool:
        length = dict(scope["headers"]).get(b"content-length", b"0")
        return length.isdigit() and (len(length) > _MAX_DIGITS or int(length) > self._max_bytes)

    def _count_bytes(self, receive: Receive) -> Receive:
        received = 0

        async def receive_and_count() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                raise BodyTooLarge(self._max_bytes)
            return message

        return receive_and_count
