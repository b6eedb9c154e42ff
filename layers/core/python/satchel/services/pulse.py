"""The runner's pulse: tells the waiting task that the call is alive, by timer, whatever the tool does."""

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from satchel.ports.workflow import TaskCallback, TaskGone

logger = logging.getLogger(__name__)


class Pulse:
    """Beats until it is left; when nobody waits for the call any more it says so, once, through ``on_gone``.

    The beat must not hang on the tool's progress: bringing inputs and storing outputs are silent and take their time.
    """

    def __init__(self, callback: TaskCallback, token: str, seconds: float) -> None:
        self._callback = callback
        self._token = token
        self._seconds = seconds
        self._left = threading.Event()
        self._lock = threading.Lock()
        self._on_gone: Callable[[], None] | None = None
        self._gone = False
        self._thread = threading.Thread(target=self._beat, name="pulse", daemon=True)

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
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._left.wait(self._seconds):
            try:
                self._callback.beat(self._token)
            except TaskGone:
                break
            except OSError:
                logger.warning("a beat did not arrive; the next one may", exc_info=True)
        else:
            return
        with self._lock:
            self._gone = True
            if self._on_gone:
                self._on_gone()
