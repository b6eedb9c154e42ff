"""The processes of servers: started, looked at, and ended with everything that they started.

How nothing gets away: a server is a *subreaper* before its program starts (``sandbox.launch``), so what a tool
double-forks and lets go falls to its own server and stays among that server's descendants, however it detached itself.
To end a server, it is stopped (so that it starts nothing more), all below it is killed until nothing is left, then it
is killed.

A server that dies by itself leaves its descendants to the next subreaper above, which the runner is
(``become_subreaper``). These *strays* are the runner's children in a session that is not the runner's, and no server
that it started. They cannot be of a living server, whose own orphans never come that far; so ending any server, or
finding one dead, sweeps them all, and no call's helpers are touched by the end of another call.
"""

import ctypes
import logging
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from satchel.adapters.sandbox import children, groups

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 5.0
_ROUND_SECONDS = 0.002
_STOP_SECONDS = 0.5
_NOT_RUNNING = frozenset("TtZX")
_PR_SET_CHILD_SUBREAPER = 36
_KERNEL_LISTS_CHILDREN = Path("/proc/thread-self/children").exists()

# The kernel keeps one list of children per process, so what is known about them is kept once a process, too. The lock
# makes starting and registering one step: a sweep never sees a server that is not registered yet.
_lock = threading.Lock()
_servers: set[int] = set()
_reaper = threading.Event()


def become_subreaper() -> None:
    """Make this process the one to which orphans below it fall. Raises OSError where the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this process cannot become a subreaper")
    _reaper.set()


def start(
    command: Sequence[str], env: Mapping[str, str], walls: Iterable[str] = (), keep: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own, with pipes to it; its stderr is the runner's.

    ``walls`` are options of ``sandbox.launch``, ``keep`` descriptors that the server has besides the pipes.
    Must be called on a thread that lives as long as the runner: the server dies with it.
    """
    launcher = children.command("launch", f"runner={os.getpid()}", *walls, "--", *command)
    with _lock:
        process = subprocess.Popen(  # noqa: S603  (the command is the configuration's)
            launcher,
            env=dict(env),
            pass_fds=keep,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        _servers.add(process.pid)
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a server and everything that it started; returns when all is dead. A second time does nothing."""
    if process.returncode is None:
        kill_tree(process.pid)
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            logger.exception("a killed server does not die", extra={"pid": process.pid})
            return
    with _lock:
        _servers.discard(process.pid)
    sweep()
    groups.leave_none(process.pid)


def kill_tree(pid: int) -> None:
    """Kill a process, all below it, and all of its session. The process itself is left for its parent to reap."""
    _stop(pid)
    _kill_until_none(lambda: _below(pid))
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def sweep() -> None:
    """Kill and reap what dead servers left to this process. Does nothing unless it became a subreaper."""
    if not _reaper.is_set():
        return
    _kill_until_none(lambda: [one for stray in _strays() for one in (stray, *_descendants(stray.pid))])
    for stray in _strays():
        with suppress(ChildProcessError):
            os.waitpid(stray.pid, os.WNOHANG)


def below(pid: int) -> set[int]:
    """Return the pids of all descendants, the dead that nobody reaped included. Cheap: for use after every call."""
    if not _KERNEL_LISTS_CHILDREN:
        return {process.pid for process in _descendants(pid)}
    found: set[int] = set()
    unseen = [pid]
    while unseen:
        fresh = _children(unseen.pop()) - found
        found |= fresh
        unseen.extend(fresh)
    return found


def any_living(pids: Collection[int]) -> bool:
    """Tell whether one of these processes runs still; the dead that nobody reaped do not."""
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            if _is_living(psutil.Process(pid)):
                return True
    return False


def wait_for_death(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until a server is dead, at most so long. Does not reap it."""
    with suppress(ProcessLookupError):
        fd = os.pidfd_open(process.pid)
        try:
            select.select([fd], [], [], seconds)
        finally:
            os.close(fd)


def how_it_ended(process: subprocess.Popen[bytes]) -> str | None:
    """Say how a server ended, as the end of a sentence; None while it lives. Does not reap it."""
    code = process.returncode
    if code is None:
        with suppress(ChildProcessError):
            found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            if found is None:
                return None
            code = found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
    if code is None:
        return "ended"
    return f"ended with exit code {code}" if code >= 0 else f"was ended by {_signal_name(-code)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _stop(pid: int) -> None:
    """Stop a process; returns when each of its threads has stopped: one in the middle of a fork still completes it."""
    gives_up = time.monotonic() + _STOP_SECONDS
    with suppress(FileNotFoundError, ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        while time.monotonic() < gives_up and not all(map(_has_stopped, Path(f"/proc/{pid}/task").iterdir())):
            time.sleep(_ROUND_SECONDS)


def _has_stopped(thread: Path) -> bool:
    """Read the state of a thread: it stands after the name, which is in brackets and may hold anything."""
    try:
        return (thread / "stat").read_text().rpartition(")")[2].split()[0] in _NOT_RUNNING
    except (FileNotFoundError, ProcessLookupError):
        return True


def _children(pid: int) -> set[int]:
    found: set[int] = set()
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in os.scandir(f"/proc/{pid}/task"):
            gone = suppress(FileNotFoundError, ProcessLookupError)
            with gone, open(f"{task.path}/children", "rb", buffering=0) as file:  # noqa: PTH123  (in half of Path's time)
                found |= {int(child) for child in file.readall().split()}
    return found


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _below(pid: int) -> list[psutil.Process]:
    found = set(_descendants(pid))
    for other in psutil.pids():
        with suppress(psutil.NoSuchProcess):
            if other != pid and _session(other) == pid:
                found.add(psutil.Process(other))
    return list(found)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _strays() -> list[psutil.Process]:
    own_session = os.getsid(0)
    with _lock:
        children = psutil.Process().children()
        return [child for child in children if child.pid not in _servers and _session(child.pid) != own_session]


def _is_living(process: psutil.Process) -> bool:
    try:
        return process.status() not in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}
    except psutil.NoSuchProcess:
        return False


def _kill_until_none(find: Callable[[], list[psutil.Process]]) -> None:
    """Kill again and again what is found: a process may start others between being found and being killed."""
    gives_up = time.monotonic() + PATIENCE_SECONDS
    while living := [process for process in find() if _is_living(process)]:
        for process in living:
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                process.kill()
        if time.monotonic() > gives_up:
            logger.error("some processes do not die", extra={"pids": [process.pid for process in living]})
            return
        time.sleep(_ROUND_SECONDS)
