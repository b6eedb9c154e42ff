"""Crashes of the process that handles a request, between two writes."""

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send


class Crash(BaseException):
    """The end of the process that handles a request. No handler of exceptions sees it."""


def crash_once(patch: pytest.MonkeyPatch, adapter: type, method: str, *, before: bool) -> None:
    """Let the next call of an adapter's method crash, before or after its work."""
    work = getattr(adapter, method)

    def crash(*args: object, **options: object) -> None:
        patch.setattr(adapter, method, work)
        if not before:
            work(*args, **options)
        raise Crash

    patch.setattr(adapter, method, crash)


def contained(app: ASGIApp) -> ASGIApp:
    """Return ``app`` with crashes as errors that end only their request, not the event loop of the test's client."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except Crash as crash:
            raise RuntimeError("the process of the request has crashed") from crash

    return run
