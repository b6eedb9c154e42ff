"""Refuse a body over the limit before it is read whole, announced or not."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.entrypoints.http.problems import BodyTooLong

_MAX_DIGITS = 18


class BodyLimit:
    """ASGI middleware. ``max_bytes`` in bytes."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._most = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a counting ``receive``."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._announces_too_much(scope):
            await BodyTooLong(self._most).answer()(scope, receive, send)
        else:
            await self._app(scope, self._counted(receive), send)

    def _announces_too_much(self, scope: Scope) -> bool:
        length = dict(scope["headers"]).get(b"content-length", b"0")
        return length.isdigit() and (len(length) > _MAX_DIGITS or int(length) > self._most)

    def _counted(self, receive: Receive) -> Receive:
        seen = 0

        async def counting() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._most:
                raise BodyTooLong(self._most)
            return message

        return counting
