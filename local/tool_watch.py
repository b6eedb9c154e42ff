"""Asks servers for their tools again: those that did not start, and after a while all of them."""

import threading
from collections.abc import Collection
from concurrent.futures import Future
from typing import Any, Self

from satchel.services.tools.refresh_tools import RefreshTools

_LOOK_SECONDS = 5.0


class ToolWatch:
    """A context manager around the runners: a thread of it may be waiting for one of them when they end.

    ``stop`` is called while they still run; leaving it waits for the thread.
    """

    def __init__(self, look_seconds: float = _LOOK_SECONDS) -> None:
        self._look_seconds = look_seconds
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Nothing is watched yet."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Wait for the thread."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def start(self, refresh: RefreshTools, first: Collection[Future[Any]]) -> None:
        """Watch, as soon as the ``first`` listings are done."""
        self._thread = threading.Thread(target=self._watch, args=(refresh, first), daemon=True, name="tool-watch")
        self._thread.start()

    def stop(self) -> None:
        """Ask nobody any more."""
        self._stopped.set()

    def _watch(self, refresh: RefreshTools, first: Collection[Future[Any]]) -> None:
        while not self._stopped.wait(self._look_seconds):
            # Not futures.wait, which never hears of a listing that was cancelled before it began: a stop would hang.
            if not all(listing.done() for listing in first):
                continue
            for server in refresh.due():
                if self._stopped.is_set():
                    return
                refresh.ask_again(server)
