"""The runner's pulse: tells the waiting task that the call is alive, by timer, whatever the tool does."""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from satchel.ports.turns import TaskCallback, TaskGone

logger = logging.getLogger(__name__)


class Heartbeat:
    """Beats until it is left; when nobody waits for the call any more it says so, once, through ``on_gone``.

    The beat must not hang on the tool's progress: bringing inputs and storing outputs are silent and take their time.
    Most calls are over before the first beat is due, and a thread costs as much as the whole call of a warm tool: so
    it is started when the first beat is due.
    """

    def __init__(self, callback: TaskCallback, token: str, seconds: float) -> None:
        self._callback = callback
        self._token = token
        self._seconds = seconds
        self._left = threading.Event()
        self._lock = threading.Lock()
        self._on_gone: Callable[[], None] | None = None
        self._gone = False
        self._thread: threading.Thread | None = None

    @property
    def gone(self) -> bool:
        """Tell whether the task was ended from outside: cancelled, timed out, answered before."""
        return self._gone

    def when_gone(self, act: Callable[[], None] | None) -> None:
        """Set what to do when the task is gone; done at once where it is gone already."""
        with self._lock:
            self._on_gone = act
            if act and self._gone:
                act()

    def __enter__(self) -> Self:
        _ALARM.set(self._seconds, self._start)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._left.set()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        with self._lock:
            if not self._left.is_set():
                self._thread = threading.Thread(target=self._beat, name="pulse", daemon=True)
                self._thread.start()

    def _beat(self) -> None:
        while not self._left.is_set():
            try:
                self._callback.beat(self._token)
            except TaskGone:
                break
            except OSError:
                logger.warning("a beat did not arrive; the next one may", exc_info=True)
            self._left.wait(self._seconds)
        else:
            return
        with self._lock:
            self._gone = True
            if self._on_gone:
                self._on_gone()


class _Alarm:
    """One thread that calls others when their time has come. To be left before that is theirs to notice."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def set(self, seconds: float, ring: Callable[[], None]) -> None:
        """Call ``ring`` in so many seconds, from a thread that it must not hold up."""
        with self._changed:
            heapq.heappush(self._waiting, (time.monotonic() + seconds, next(self._numbers), ring))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="alarm", daemon=True)
                self._thread.start()
            elif self._waiting[0][2] is ring:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                due, _, ring = self._waiting[0]
                if (left := due - time.monotonic()) > 0:
                    self._changed.wait(left)
                    continue
                heapq.heappop(self._waiting)
            try:
                ring()
            except RuntimeError:  # no more threads: the others' time comes all the same
                logger.exception("a pulse could not be started")


_ALARM = _Alarm()
