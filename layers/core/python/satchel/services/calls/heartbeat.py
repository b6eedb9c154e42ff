"""Send heartbeats to the Step Functions task of a running call, and find out when the user cancels the call.

All running calls of an AWS account share the quota of ``SendTaskHeartbeat``, so heartbeats are rare. In between, the
runner reads from the table every second whether the call is stopped. That read has no such quota.
"""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from satchel.domain.errors import Unavailable
from satchel.ports.turns import TaskCallback, TaskGone

logger = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""Interval of the checks whether the call is stopped: a canceled call ends within about this time."""


class Heartbeat:
    """Context manager that sends a tool call's heartbeats to the Step Functions task that waits for the call.

    If the call is stopped, or if a heartbeat finds that the task has ended early, a callback runs once. A thread sends
    the heartbeats at a fixed interval, because a tool sends no progress while its files are fetched or stored. The
    thread starts only when the first check is due: most calls finish earlier and need no thread.
    """

    def __init__(
        self, callback: TaskCallback, token: str, seconds: float, is_stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self._callback = callback
        self._token = token
        self._seconds = seconds
        self._is_stopped = is_stopped
        self._next_heartbeat = time.monotonic() + seconds
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._on_task_end: Callable[[], None] | None = None
        self._task_ended = False
        self._thread: threading.Thread | None = None

    @property
    def task_ended(self) -> bool:
        """Return True if the task was found to have ended: canceled, timed out or already completed."""
        return self._task_ended

    def on_task_end(self, action: Callable[[], None] | None) -> None:
        """Set the function to call when the task ends, or None. If the task has already ended, call it immediately."""
        with self._lock:
            self._on_task_end = action
            if action and self._task_ended:
                action()

    def __enter__(self) -> Self:
        _TIMER.schedule(self._interval, self._start)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        with self._lock:
            if not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
                self._thread.start()

    @property
    def _interval(self) -> float:
        return min(self._seconds, CHECK_SECONDS)

    def _run(self) -> None:
        while not self._stopped.is_set():
            if self._check():
                break
            self._stopped.wait(self._interval)
        else:
            return
        with self._lock:
            self._task_ended = True
            if self._on_task_end:
                self._on_task_end()

    def _check(self) -> bool:
        """Send a heartbeat if it is due. Return True if the call is stopped or the task has ended."""
        try:
            if self._is_stopped():
                return True
            if time.monotonic() >= self._next_heartbeat:
                self._next_heartbeat = time.monotonic() + self._seconds
                self._callback.heartbeat(self._token)
        except TaskGone:
            return True
        except Unavailable:
            logger.warning(
                "the runner could not read whether the call is stopped; the next check may succeed", exc_info=True
            )
        except OSError:
            logger.warning("heartbeat failed; the next one may succeed", exc_info=True)
        return False


class _Timer:
    """Run the timers of all calls in one thread. Timers cannot be canceled, so functions check if their call runs."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def schedule(self, seconds: float, action: Callable[[], None]) -> None:
        """Call ``action`` after ``seconds``. A slow ``action`` would delay the timers of all other calls."""
        with self._changed:
            heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._numbers), action))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="heartbeat-timer", daemon=True)
                self._thread.start()
            elif self._timers[0][2] is action:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._timers)
                due, _, action = self._timers[0]
                if (seconds_left := due - time.monotonic()) > 0:
                    self._changed.wait(seconds_left)
                    continue
                heapq.heappop(self._timers)
            try:
                action()
            except RuntimeError:  # if no new thread can start, the other timers must still run
                logger.exception("heartbeat could not be started")


_TIMER = _Timer()
