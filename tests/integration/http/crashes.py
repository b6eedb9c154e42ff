"""Crashes of the process that handles a request, between two writes."""

import pytest


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
