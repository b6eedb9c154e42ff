"""Refuse a body over the limit before it is read whole, announced or not."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.entrypoints.http.problems import problem


class _TooLong(Exception):
    """More came than is allowed."""


class BodyLimit:
    """ASGI middleware. ``most`` in bytes."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a counting ``receive``."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = problem(413, "E_TOO_LARGE", f"The body may have {self._most} bytes.", {"limit_bytes": self._most})
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self._most:
            await refusal(scope, receive, send)
            return
        try:
            await self._app(scope, self._counted(receive), send)
        except _TooLong:
            await refusal(scope, receive, send)

    def _counted(self, receive: Receive) -> Receive:
        seen = 0

        async def counting() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._most:
                raise _TooLong
            return message

        return counting
