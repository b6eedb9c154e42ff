"""Wake the requests that wait for a turn when one of its items is written, so that they need not poll the table."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from satchel.domain.ids import TurnId
from satchel.entrypoints.http.long_polling import Pause

_MAX_WAIT_SECONDS = 5.0


class TurnChanges:
    """Lets requests wait until an item of a turn's partition ``TURN#{turn_id}`` is written."""

    def __init__(self) -> None:
        self._closed = False
        self._waiting: defaultdict[str, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = defaultdict(set)

    def notify(self, partition: str) -> None:
        """Wake the requests that watch the turn of this partition. Any thread may call this method."""
        for loop, changed in list(self._waiting.get(partition, ())):
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(changed.set)

    def close(self) -> None:
        """Wake all requests. ``is_closed`` then returns True."""
        self._closed = True
        for partition in list(self._waiting):
            self.notify(partition)

    def is_closed(self) -> bool:
        """Return True after ``close``."""
        return self._closed

    @asynccontextmanager
    async def watch(self, turn_id: TurnId) -> AsyncIterator[Pause]:
        """Provide a pause that ends when the turn changes, or after five seconds. Its argument has no effect."""
        changed = asyncio.Event()

        async def pause(_seconds: float) -> None:
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _MAX_WAIT_SECONDS)
            changed.clear()

        partition, waiter = f"TURN#{turn_id}", (asyncio.get_running_loop(), changed)
        self._waiting[partition].add(waiter)
        try:
            yield pause
        finally:
            self._waiting[partition].discard(waiter)
            if not self._waiting[partition]:
                del self._waiting[partition]
