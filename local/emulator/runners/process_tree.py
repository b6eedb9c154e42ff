"""Kill process trees, so that no process outlives the environment that started it, even in another session.

Tool servers run in separate sessions, and become orphans if their environment is killed. The parent process and each
environment are *subreapers*: orphaned descendants become their children, and can be found. The parent process also has
unrelated children, which must not be killed. Therefore, every environment marks itself with an OOM score
(``/proc/self/oom_score_adj``), which all its descendants inherit through fork, exec and setsid. The score also makes
the kernel's out-of-memory killer choose tools first.
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
_OOM_SCORE_MARK = 777
_MAX_ROUNDS = 5
_log = logging.getLogger(__name__)


def become_subreaper() -> None:
    """Make this process the new parent of its orphaned descendants (Linux). Raise OSError if the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def set_process_name(name: str) -> None:
    """Set the process name that ``ps -o comm`` shows to the last 15 characters of ``name``. Linux allows no more."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name[-15:].encode(), 0, 0, 0)


def mark_process() -> None:
    """Give this process and its future children the OOM score by which ``kill_orphans`` recognizes them.

    Raise PermissionError if the kernel does not allow the change.
    """
    Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE_MARK))


def kill_tree(pid: int) -> None:
    """Kill a process and its descendants. Orphaned descendants survive until ``kill_orphans`` kills them."""
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        _kill([root, *root.children(recursive=True)])


def kill_descendants() -> None:
    """Kill all descendants of this process, including adopted orphans."""
    for _ in range(_MAX_ROUNDS):
        descendants = psutil.Process().children(recursive=True)
        if not descendants:
            return
        _kill(descendants)
        _reap(descendants)


def kill_orphans(environment_pids: Collection[int]) -> None:
    """Kill and reap orphans: the marked children of this process that are not in ``environment_pids``."""
    for _ in range(_MAX_ROUNDS):
        orphans = [p for p in psutil.Process().children() if p.pid not in environment_pids and _is_marked(p.pid)]
        if not orphans:
            return
        for orphan in orphans:
            kill_tree(orphan.pid)
        _reap(orphans)
    _log.warning("Processes keep reappearing after their environment has ended: %s", orphans)


def _is_marked(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/oom_score_adj").read_text() == f"{_OOM_SCORE_MARK}\n"
    except OSError:  # the process has already ended
        return False


def _kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):  # the process has already ended, or now runs as another user
            process.kill()


def _reap(processes: Iterable[psutil.Process]) -> None:
    """Wait until killed processes end, which takes milliseconds. Skip processes that are not direct children."""
    for process in processes:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.pid, 0)
