"""Periodic jobs: the sweep, which EventBridge starts in the cloud, and the refresh of tool lists."""

import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import Any, Self

from local.emulator import settings
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from satchel.services.tools.tool_lists import RefreshTools

_REFRESH_CHECK_SECONDS = 5.0


def start_sweep() -> None:
    """Invoke the function that deletes expired data, without waiting for it."""
    HOST.invoke_later(f"{settings.NAME}-expire", {})


class PeriodicJob:
    """Runs a job every ``seconds`` in a thread of its own. A context manager; the first run is after one interval."""

    def __init__(self, job: Callable[[], None], seconds: float) -> None:
        self._job = job
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="periodic-job", daemon=True)

    def __enter__(self) -> Self:
        """Start the thread."""
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop, and wait for the current run to end."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            self._job()


class ToolListRefresher:
    """Lists the tools of servers again: soon if a server failed to start, otherwise when the list is stale.

    A context manager around the runners, because its thread may be waiting for a runner when the runners end. Call
    ``stop`` while the runners still run; leaving the context waits for the thread.
    """

    def __init__(self, check_seconds: float = _REFRESH_CHECK_SECONDS) -> None:
        self._check_seconds = check_seconds
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Return the refresher, which does nothing until ``start``."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop, and wait for the thread."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def start(self, refresh: RefreshTools, first: Collection[Future[Any]]) -> None:
        """Start refreshing after the ``first`` listings have completed."""
        self._thread = threading.Thread(target=self._run, args=(refresh, first), daemon=True, name="tool-list-refresh")
        self._thread.start()

    def stop(self) -> None:
        """Start no further refresh."""
        self._stopped.set()

    def _run(self, refresh: RefreshTools, first: Collection[Future[Any]]) -> None:
        while not self._stopped.wait(self._check_seconds):
            # futures.wait never returns for a future that was cancelled before it started, so a stop would hang.
            if not all(listing.done() for listing in first):
                continue
            for server in refresh.due():
                if self._stopped.is_set():
                    return
                refresh.try_refresh(server)
