"""Starts, inspects and ends server processes, together with all their descendants.

A server becomes a *subreaper* before its program starts (in ``sandbox.launch``): if a tool detaches a process with a
double fork, the server becomes that process's parent. So the process stays among the server's descendants. Ending a
server has three steps: stop the server, so that it starts no more processes; kill all its descendants; kill the server.

If a server dies unexpectedly, its descendants become *orphans*. The runner, which is a subreaper too
(``become_subreaper``), adopts them. An orphan is a child of the runner that is neither a server nor in the runner's own
process session. A detached process of a server that still runs is not an orphan, because that server adopts it. So
whenever a server ends, the runner can kill all orphans: no orphan belongs to a call that is still running.
"""

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

from satchel.adapters.mcp.prepared_server import PreparedServer, ServerProcess
from satchel.adapters.sandbox import limits, probe
from satchel.adapters.sandbox.readable_paths import KERNEL_FILES

logger = logging.getLogger(__name__)

Server = subprocess.Popen[bytes] | ServerProcess

_KILL_SECONDS = 5.0
_POLL_SECONDS = 0.002
_MAX_LOOKS = 10
_PROC_CHUNK = 1 << 16
_STOP_SECONDS = 0.5
_NOT_RUNNING = frozenset("TtZX")  # process states in /proc: stopped, traced, zombie, dead
_KERNEL_LISTS_CHILDREN = Path("/proc/thread-self/children").exists()

# These variables are global, because a process has only one list of children. A server is started and registered while
# the lock is held. Without the lock, the search for orphans could find a server before it is registered, and kill it.
_lock = threading.Lock()
_servers: dict[int, int | None] = {}
"""Pids of the servers, each with the descriptor that keeps its directory in ``/proc`` readable (``_hold``)."""
_prepared: list[PreparedServer] = []
_is_subreaper = threading.Event()


def become_subreaper() -> None:
    """Make this process adopt descendants whose parent dies.

    If the kernel refuses that, the runner does not find the processes that a server detached before it died.
    """
    try:
        limits.become_subreaper()
    except OSError as error:
        logger.warning("this process cannot become a subreaper", extra={"reason": str(error)})
        return
    _is_subreaper.set()


def offer(server: PreparedServer) -> None:
    """Use a prepared process, a child of this process, for the next server that can run in it."""
    with _lock:
        _register(server.pid)
        _prepared.append(server)


def start(
    command: Sequence[str],
    env: Mapping[str, str],
    launch_options: Iterable[str] = (),
    descriptors: Sequence[int] = (),
    *,
    stderr: int | None = None,
    can_be_prepared: bool = False,
) -> Server:
    """Start a server with pipes for stdin and stdout, and with its own process session.

    ``stderr`` is the descriptor of its standard error (default: that of the runner).

    ``launch_options`` are options of ``sandbox.launch``. The server inherits ``descriptors`` in addition to the pipes.
    If ``can_be_prepared`` is True, a prepared process becomes the server, if there is one (``prepared_server``).
    Call this on a thread that lives as long as the runner: the kernel kills the server when that thread ends.
    """
    arguments = [f"runner={os.getpid()}", *launch_options, "--", *command]
    with _lock:
        if can_be_prepared and _prepared:
            with suppress(OSError):  # the prepared process has ended
                return _prepared.pop().start(arguments, env, descriptors, stderr)
        launcher = probe.bare_python("launch", *arguments)
        process = subprocess.Popen(  # noqa: S603  (the command comes from the configuration)
            launcher,
            env=dict(env),
            pass_fds=descriptors,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
        _register(process.pid)
    return process


def _register(pid: int) -> None:
    _hold_kernel_files()
    _servers[pid] = _hold(f"/proc/{pid}")


@cache
def _hold_kernel_files() -> None:
    for path in KERNEL_FILES:
        _hold(path)


def _hold(path: str) -> int | None:
    """Open a path in ``/proc``, so that servers that may read it do not lose this right. Return the descriptor.

    The rule that allows it, of Landlock, belongs to the kernel's object of the path. When memory is scarce, the kernel
    frees objects in ``/proc`` that are not open, and makes new ones without rules. Return None if the path is missing.
    """
    try:
        return os.open(path, os.O_PATH)
    except OSError:
        return None


def end(process: Server) -> None:
    """Kill a server and all its descendants, and return when they are dead. Calling this again has no effect."""
    if process.returncode is None:
        kill_tree(process.pid)
        try:
            process.wait(_KILL_SECONDS)
        except (subprocess.TimeoutExpired, TimeoutError):
            logger.exception("a killed server did not exit in time", extra={"pid": process.pid})
            return
    with _lock:
        descriptor = _servers.pop(process.pid, None)
    if descriptor is not None:
        os.close(descriptor)
    kill_orphans()
    limits.remove_cgroup(process.pid)


def kill_tree(pid: int) -> None:
    """Kill a process, its descendants and its process session. The caller must wait for (reap) the process itself."""
    _stop(pid)
    _kill_until_none(lambda: _tree(pid))
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_orphans() -> None:
    """Kill and reap the processes that dead servers left behind. Do nothing unless this process is a subreaper."""
    if not _is_subreaper.is_set():
        return
    _kill_until_none(lambda: {each for orphan in _orphans() for each in (orphan, *descendants(orphan))})
    for orphan in _orphans():
        with suppress(ChildProcessError):
            os.waitpid(orphan, os.WNOHANG)


def descendants(pid: int) -> set[int]:
    """Return the pids of all descendants of a process, including zombies. Fast enough to run after every tool call."""
    pids: set[int] = set()
    pending = [pid]
    while pending:
        new = _children(pending.pop()) - pids
        pids |= new
        pending.extend(new)
    return pids


def count_zombies(pid: int, own: AbstractSet[int]) -> int | None:
    """Return how many descendants besides ``own`` have ended without being reaped, or None if any of them still runs.

    Looks until two looks find the same processes, because one look can miss a running process: if its parent ends
    during the look, the kernel gives it to the server, whose children the look has already read. Processes that change
    from look to look are running.
    """
    previous = None
    for _ in range(_MAX_LOOKS):
        found = descendants(pid) - own
        if any_alive(found):
            return None
        if found == previous:
            return len(found)
        previous = found
    return None


def any_alive(pids: Collection[int]) -> bool:
    """Return True if any of these processes is still running. Zombies do not count as running."""
    return any(map(_is_alive, pids))


def _stop(pid: int) -> None:
    """Stop a process and wait until all its threads have stopped. A thread that still runs could fork a child."""
    deadline = time.monotonic() + _STOP_SECONDS
    with suppress(FileNotFoundError, ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        while time.monotonic() < deadline and not all(map(_has_stopped, Path(f"/proc/{pid}/task").iterdir())):
            time.sleep(_POLL_SECONDS)


def _has_stopped(thread: Path) -> bool:
    """Return True if a thread is stopped or dead. Its ``stat`` file contains the state after the last ``)``.

    The thread's name comes before the state, and can contain ``)`` too.
    """
    try:
        return (thread / "stat").read_text().rpartition(")")[2].split()[0] in _NOT_RUNNING
    except (FileNotFoundError, ProcessLookupError):
        return True


def _children(pid: int) -> set[int]:
    pids: set[int] = set()
    if not _KERNEL_LISTS_CHILDREN:
        with suppress(psutil.NoSuchProcess):
            pids.update(child.pid for child in psutil.Process(pid).children())
        return pids
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  (faster than Path, as are the calls below)
            with suppress(FileNotFoundError, ProcessLookupError):
                pids.update(map(int, _read_file(f"/proc/{pid}/task/{task}/children").split()))
    return pids


def _read_file(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: os.read(fd, _PROC_CHUNK), b""))
    finally:
        os.close(fd)


def _tree(pid: int) -> set[int]:
    """Return the descendants of a process, and all other processes of the process session that it leads."""
    return descendants(pid) | {other for other in psutil.pids() if other != pid and _session(other) == pid}


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _orphans() -> set[int]:
    own_session = _session(0)
    with _lock:
        return {child for child in _children(os.getpid()) - _servers.keys() if _session(child) != own_session}


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() not in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}
    except psutil.NoSuchProcess:
        return False


def _kill_until_none(find: Callable[[], set[int]]) -> None:
    """Kill the processes that ``find`` returns. Repeat this until it returns the same ones twice, all of them ended.

    A process can start others, and one look can miss a process whose parent ends during the look (``count_zombies``).
    """
    deadline = time.monotonic() + _KILL_SECONDS
    previous = None
    while (found := find()) != previous or any_alive(found):
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            logger.error("some processes did not exit in time", extra={"pids": sorted(found)})
            return
        previous = found
        time.sleep(_POLL_SECONDS)
