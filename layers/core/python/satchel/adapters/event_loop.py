"""Runs a process's only asyncio event loop. MCP sessions and model streams work only on the loop that created them."""

import threading
from contextlib import ExitStack

from anyio.from_thread import BlockingPortal, start_blocking_portal


class EventLoop:
    """Event loop on its own thread, for use from any thread. The loop starts at the first use and ends at ``close``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._exit_stack = ExitStack()
        self._portal: BlockingPortal | None = None

    @property
    def portal(self) -> BlockingPortal:
        """Return the portal through which other threads run code on the loop. Start the loop if it is not running."""
        with self._lock:
            if self._portal is None:
                self._portal = self._exit_stack.enter_context(start_blocking_portal(name="event-loop"))
            return self._portal

    def close(self) -> None:
        """Cancel all tasks, and end the loop and its thread. The next use starts a new loop and thread."""
        with self._lock:
            if self._portal is not None:
                self._portal.call(self._portal.stop, True)  # noqa: FBT003  (``call`` passes positional arguments only)
            self._portal = None
            self._exit_stack.close()
