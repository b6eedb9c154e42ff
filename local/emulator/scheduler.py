"""Periodic jobs: the sweep of expired data, which EventBridge starts on AWS, and the refresh of tool lists."""

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
    """Context manager that calls ``job`` every ``seconds`` in its own thread, for the first time after one interval."""

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
        """Stop the job. If it is running, wait until that run has ended."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            self._job()


class ToolListRefresher:
    """Refreshes the tool lists of servers: soon if a server failed to start, otherwise when its list is stale.

    A context manager. Enter it before the runners start: its thread may still wait for a runner when the runners end.
    Call ``stop`` while the runners still run; leaving the context waits for the thread.
    """

    def __init__(self, check_seconds: float = _REFRESH_CHECK_SECONDS) -> None:
        self._check_seconds = check_seconds
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Return the refresher, which does nothing until ``start``."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop refreshing, and wait for the thread to end."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def start(self, refresh: RefreshTools, first: Collection[Future[Any]]) -> None:
        """Start the thread, which refreshes tool lists once the ``first`` listings have completed."""
        self._thread = threading.Thread(target=self._run, args=(refresh, first), daemon=True, name="tool-list-refresh")
        self._thread.start()

    def stop(self) -> None:
        """Start no more refreshes. A refresh that is already running continues."""
        self._stopped.set()

    def _run(self, refresh: RefreshTools, first: Collection[Future[Any]]) -> None:
        while not self._stopped.wait(self._check_seconds):
            # Polls: futures.wait never returns for a future that was canceled before it started, so a stop would hang.
            if not all(listing.done() for listing in first):
                continue
            for server in refresh.due():
                if self._stopped.is_set():
                    return
                refresh.try_refresh(server)
