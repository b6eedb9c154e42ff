"""Priority over the other processes of the machine, for tests that measure seconds of the product."""

import contextlib
import gc
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

_HIGHEST = -20


@contextmanager
def prioritized(*roots: int) -> Iterator[None]:
    """Run this process and those with these ids, with their descendants, before all others while the block runs.

    The measured time is then what the product needs, and not what else the machine does, or the collection of the
    garbage of all earlier tests. Only root may give priority: a test of another user measures the machine with all that
    it does.
    """
    pids, before = [os.getpid(), *roots], os.getpriority(os.PRIO_PROCESS, 0)
    _set_priority(pids, _HIGHEST)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        _set_priority(pids, before)


def use_own_session() -> None:
    """Give this process a session of its own, so that it has priority over other workers of the run in ``prioritized``.

    Linux shares the CPUs between sessions first (``man 7 sched``, autogroups), and only then between the processes of
    each session. For the same reason, ``prioritized`` sets the priority of sessions as well as that of threads.
    """
    with contextlib.suppress(PermissionError):  # it leads a process group
        os.setsid()


def interrupt_sessions() -> None:
    """Send SIGINT to the child processes that called ``use_own_session``, and to their process groups."""
    for child in psutil.Process().children():
        with contextlib.suppress(OSError):
            if os.getsid(child.pid) == child.pid:
                os.killpg(child.pid, signal.SIGINT)


def _set_priority(roots: Iterable[int], priority: int) -> None:
    """Set the priority of these processes and their descendants: of all their threads, and of their sessions."""
    if os.geteuid() != 0:
        return
    for root in roots:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(root)
            for each in (process, *process.children(recursive=True)):
                with contextlib.suppress(OSError):
                    for thread in Path(f"/proc/{each.pid}/task").iterdir():
                        os.setpriority(os.PRIO_PROCESS, int(thread.name), priority)
                    Path(f"/proc/{each.pid}/autogroup").write_text(str(priority), encoding="ascii")
