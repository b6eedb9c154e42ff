"""Wait for something to happen without holding a thread: long polls and ``Prefer: wait``."""

import re
from collections.abc import Callable
from typing import TypeVar

import anyio
from fastapi import Request
from starlette.concurrency import run_in_threadpool

T = TypeVar("T")

MAX_SECONDS = 25.0
_FIRST_PAUSE = 0.03
_LONGEST_PAUSE = 0.25
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,6})", re.IGNORECASE)


def preferred_wait(prefer: str | None) -> float:
    """Read N of ``Prefer: wait=N`` (RFC 7240), at most 25 seconds; 0 without one."""
    found = _WAIT.search(prefer or "")
    return min(float(found[1]), MAX_SECONDS) if found else 0.0


async def until(request: Request, seconds: float, look: Callable[[], T], enough: Callable[[T], bool]) -> T:
    """Look again and again until it is enough, the time is up, or the server closes; return the last look.

    The pauses grow, so that quick things are seen at once and slow ones cost few reads.
    """
    closing: Callable[[], bool] = request.app.state.closing
    seen = await run_in_threadpool(look)
    pause = _FIRST_PAUSE
    with anyio.move_on_after(seconds):
        while not enough(seen) and not closing():
            await anyio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)
            seen = await run_in_threadpool(look)
    return seen
