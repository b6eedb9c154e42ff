"""Periodic jobs: delete expired data (EventBridge starts this job on AWS), and refresh the MCP servers' tool lists."""

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
    """Context manager that runs ``job`` in a thread, every ``seconds`` seconds. The first run is after one interval."""

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
        """Stop the periodic calls. If the job is running, wait until it has returned."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            self._job()


class ToolListRefresher:
    """Context manager that refreshes the stored tool lists of MCP servers in a thread.

    The list of a server is refreshed when it is stale, or soon if the server failed to start. Call ``stop`` before the
    runners end, but leave the context after they have ended: leaving waits for the thread, which may wait for a runner.
    Therefore, enter the context before the runners start.
    """

    def __init__(self, check_seconds: float = _REFRESH_CHECK_SECONDS) -> None:
        self._check_seconds = check_seconds
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Return the refresher, which does nothing until ``start`` is called."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop refreshing, and wait for the thread to end."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def start(self, refresh: RefreshTools, first: Collection[Future[Any]]) -> None:
        """Start the thread. When the ``first`` tool listings are done, the thread begins to refresh tool lists."""
        self._thread = threading.Thread(target=self._run, args=(refresh, first), daemon=True, name="tool-list-refresh")
        self._thread.start()

    def stop(self) -> None:
        """Start no more refreshes. A refresh that is already running continues."""
        self._stopped.set()

    def _run(self, refresh: RefreshTools, first: Collection[Future[Any]]) -> None:
        while not self._stopped.wait(self._check_seconds):
            # Poll instead of calling futures.wait, which never returns if a future was canceled before it started.
            if not all(listing.done() for listing in first):
                continue
            for server in refresh.due():
                if self._stopped.is_set():
                    return
                refresh.try_refresh(server)
