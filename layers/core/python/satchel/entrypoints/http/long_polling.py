"""Let requests wait for a result (long polls and ``Prefer: wait``) without occupying a thread."""

import re
from collections.abc import Callable
from typing import TypeVar

import anyio
from fastapi import Request
from starlette.concurrency import run_in_threadpool

T = TypeVar("T")

MAX_WAIT_SECONDS = 25.0
_FIRST_PAUSE_SECONDS = 0.03
_MAX_PAUSE_SECONDS = 0.25
_PAUSE_FACTOR = 1.5
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,6})", re.IGNORECASE)


def preferred_wait(prefer: str | None) -> float:
    """Return the seconds to wait from the header ``Prefer: wait=N`` (RFC 7240): at most 25, or 0 if not given."""
    match = _WAIT.search(prefer or "")
    return min(float(match[1]), MAX_WAIT_SECONDS) if match else 0.0


async def poll_until(request: Request, seconds: float, read: Callable[[], T], is_done: Callable[[T], bool]) -> T:
    """Call ``read`` until ``is_done`` accepts its result, ``seconds`` have passed or the server stops.

    Return the last result. Pauses between calls grow: a quick result returns early, and a slow one costs few reads.
    """
    closing: Callable[[], bool] = request.app.state.closing
    result = await run_in_threadpool(read)
    pause = _FIRST_PAUSE_SECONDS
    with anyio.move_on_after(seconds):
        while not is_done(result) and not closing():
            await anyio.sleep(pause)
            pause = min(pause * _PAUSE_FACTOR, _MAX_PAUSE_SECONDS)
            result = await run_in_threadpool(read)
    return result
