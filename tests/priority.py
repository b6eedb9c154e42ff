"""Priority over the other processes of the machine, for tests that measure seconds of the product."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

_HIGHEST = -20


@contextmanager
def prioritized(*roots: int) -> Iterator[None]:
    """Run this process and those with these ids, with their descendants, before all others while the block runs.

    The measured time is then what the product needs, and not what else the machine does. Only root may do this: a test
    of another user measures the machine with all that it does.
    """
    if os.geteuid() != 0:
        yield
        return
    pids, before = [os.getpid(), *roots], os.getpriority(os.PRIO_PROCESS, 0)
    _set_priority(pids, _HIGHEST)
    try:
        yield
    finally:
        _set_priority(pids, before)


def _set_priority(roots: Iterable[int], priority: int) -> None:
    """Set the priority of all threads of these processes and their descendants. Those that they start inherit it."""
    for root in roots:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(root)
            for each in (process, *process.children(recursive=True)):
                with contextlib.suppress(OSError):
                    for thread in Path(f"/proc/{each.pid}/task").iterdir():
                        os.setpriority(os.PRIO_PROCESS, int(thread.name), priority)
