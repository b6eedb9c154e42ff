"""Looking at processes that may end while one looks."""

from contextlib import suppress

import psutil


def lives(process: psutil.Process) -> bool:
    """Tell whether a process still runs; one that has ended and is not yet reaped does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def pid_lives(pid: int) -> bool:
    """Tell whether a process of this id still runs."""
    try:
        return lives(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False


def environ_of(process: psutil.Process) -> dict[str, str] | None:
    """Return a process's environment; None when it has ended meanwhile."""
    with suppress(psutil.NoSuchProcess):
        return dict(process.environ())
    return None


def children_with(word: str, pid: int | None = None, *, recursive: bool = False) -> list[psutil.Process]:
    """Return the living children (of this process, unless another is named) whose command line has ``word``."""
    found = []
    for process in psutil.Process(pid).children(recursive=recursive):
        with suppress(psutil.NoSuchProcess):  # a zombie has no command line either
            if word in process.cmdline():
                found.append(process)
    return found


def runner_of(server: psutil.Process, name: str) -> psutil.Process:
    """Return the runner's process that the server of this name stands under."""
    return next(process for process in server.parents() if process.name().endswith(f"run-{name}"))
