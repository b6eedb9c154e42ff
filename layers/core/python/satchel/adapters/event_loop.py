"""The one event loop of a process: sessions and their streams belong to the loop that made them."""

import threading
from contextlib import ExitStack

from anyio.from_thread import BlockingPortal, start_blocking_portal


class EventLoop:
    """Runs on a thread of its own, from the first use until it is closed; any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = ExitStack()
        self._portal: BlockingPortal | None = None

    @property
    def portal(self) -> BlockingPortal:
        """Return the way in; starts the loop where it does not run yet."""
        with self._lock:
            if self._portal is None:
                self._portal = self._running.enter_context(start_blocking_portal(name="event-loop"))
            return self._portal

    def close(self) -> None:
        """End what still runs on it, the loop and its thread. The next use starts a new one."""
        with self._lock:
            if self._portal is not None:
                self._portal.call(self._portal.stop, True)  # noqa: FBT003  (positional only, through ``call``)
            self._portal = None
            self._running.close()
