"""The interpreter's list of its threads holds those that live.

Replaces ``TMP_THREADS``, which the modules have imported by name. moto appends every thread to it and never takes one
out, so that it grows for ever; and with the live ones known, a cloud that stops can wait for them.
"""

import threading
import time
import weakref
from functools import cache

from moto.stepfunctions.parser import utils

from local.aws.seams.patching import replace_everywhere


class _LiveThreads(list[threading.Thread]):
    """A list in the eyes of moto, which only appends."""

    def __init__(self) -> None:
        super().__init__()
        self._threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._lock = threading.Lock()

    def append(self, thread: threading.Thread) -> None:
        with self._lock:
            self._threads.add(thread)

    def living(self) -> list[threading.Thread]:
        with self._lock:
            return [thread for thread in self._threads if thread.is_alive()]


_THREADS = _LiveThreads()


@cache
def install() -> None:
    """Patch moto."""
    replace_everywhere("moto.stepfunctions.parser", "TMP_THREADS", utils.TMP_THREADS, _THREADS)


def join(timeout: float) -> int:
    """Wait up to ``timeout`` seconds for the interpreter's threads and return how many are still alive."""
    deadline = time.monotonic() + timeout
    for thread in _THREADS.living():
        thread.join(max(0.0, deadline - time.monotonic()))
    return len(_THREADS.living())
