"""Process trees: nothing that an environment started outlives it, not even what left its session.

An environment's servers stand in sessions of their own, and when it is killed they lose their parent. Both sides make
themselves *subreapers*, so that such orphans become their children and can be found. As the parent has other children
too, every environment marks itself by its score for the kernel's out-of-memory killer, which all descendants inherit
through fork, exec and setsid (and which says the right thing besides: tools go first).
"""

import contextlib
import ctypes
import logging
import os
from collections.abc import Collection, Iterable
from pathlib import Path

import psutil

_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
_MARK = 777
_ROUNDS = 5
_log = logging.getLogger(__name__)


def adopt_orphans() -> None:
    """Make this process the one that orphaned descendants fall to (Linux). Raises OSError where it cannot be."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def name(name_: str) -> None:
    """Set what ``ps -o comm`` shows of this process: the last 15 characters of the name (Linux takes no more)."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name_[-15:].encode(), 0, 0, 0)


def mark() -> None:
    """Mark this process and everything that it will start. Raises PermissionError where the score is not ours."""
    Path("/proc/self/oom_score_adj").write_text(str(_MARK))


def kill_tree(pid: int) -> None:
    """Kill a process and all that descends from it; orphans that it lost before are found by ``kill_orphans``."""
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        _kill([root, *root.children(recursive=True)])


def kill_descendants() -> None:
    """Kill everything that this process has started and everything that fell to it."""
    for _ in range(_ROUNDS):
        found = psutil.Process().children(recursive=True)
        if not found:
            return
        _kill(found)
        _reap(found)


def kill_orphans(living: Collection[int]) -> None:
    """Kill and reap the marked children of this process that are no environment (``living``: the pids of those)."""
    for _ in range(_ROUNDS):
        orphans = [p for p in psutil.Process().children() if p.pid not in living and _is_marked(p.pid)]
        if not orphans:
            return
        for orphan in orphans:
            kill_tree(orphan.pid)
        _reap(orphans)
    _log.warning("processes that keep coming back after the end of their environment: %s", orphans)


def _is_marked(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/oom_score_adj").read_text() == f"{_MARK}\n"
    except OSError:  # it ended meanwhile
        return False


def _kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):  # it is gone, or it became another user's
            process.kill()


def _reap(processes: Iterable[psutil.Process]) -> None:
    """Wait for killed processes, which is a matter of milliseconds; those of other parents are not ours to wait for."""
    for process in processes:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.pid, 0)
