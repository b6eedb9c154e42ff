"""Let requests wait for a result (long polls and ``Prefer: wait``) without occupying a thread."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeVar

import anyio
from fastapi import Request
from starlette.concurrency import run_in_threadpool

from satchel.domain.ids import TurnId

T = TypeVar("T")
Pause = Callable[[float], Awaitable[None]]
"""Waits for the given seconds. May return earlier or later if it learns of the turn's changes in another way."""

Watch = Callable[[TurnId], AbstractAsyncContextManager[Pause]]
"""Returns a context that provides the ``Pause`` between two reads of a turn."""

MAX_WAIT_SECONDS = 25.0
_PAUSE_SECONDS = 1.0  # a waiting request costs one read a second; pages get events over the WebSocket, without polls
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,6})", re.IGNORECASE)


def preferred_wait(prefer: str | None) -> float:
    """Return the seconds to wait from the header ``Prefer: wait=N`` (RFC 7240): at most 25, or 0 if not given."""
    match = _WAIT.search(prefer or "")
    return min(float(match[1]), MAX_WAIT_SECONDS) if match else 0.0


@asynccontextmanager
async def watch_nothing(_turn_id: TurnId) -> AsyncIterator[Pause]:
    """Provide pauses that always last as long as requested."""
    yield anyio.sleep


async def poll_until(
    request: Request, turn_id: TurnId, seconds: float, read: Callable[[], T], is_done: Callable[[T], bool]
) -> T:
    """Call ``read`` until ``is_done`` accepts its result, ``seconds`` have passed or the server stops.

    Return the last result. ``read`` reads the turn ``turn_id``.
    """
    closing: Callable[[], bool] = request.app.state.closing
    watch: Watch = request.app.state.watch
    async with watch(turn_id) as pause:  # watch before the first read, so that no change is missed
        result = await run_in_threadpool(read)
        with anyio.move_on_after(seconds):
            while not is_done(result) and not closing():
                await pause(_PAUSE_SECONDS)
                result = await run_in_threadpool(read)
    return result
