"""Inspection of processes that may end at any moment."""

from contextlib import suppress

import psutil


def is_alive(process: psutil.Process) -> bool:
    """Return True if the process runs. A zombie does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def is_pid_alive(pid: int) -> bool:
    """Return True if a process with this id runs."""
    try:
        return is_alive(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False


def read_environ(process: psutil.Process) -> dict[str, str] | None:
    """Return the environment of a process, or None if it has ended."""
    with suppress(psutil.NoSuchProcess):
        return dict(process.environ())
    return None


def find_children(argument: str, pid: int | None = None, *, recursive: bool = False) -> list[psutil.Process]:
    """Return the running children (of this process by default) with ``argument`` in their command line."""
    children = []
    for process in psutil.Process(pid).children(recursive=recursive):
        with suppress(psutil.NoSuchProcess):  # raised for zombies as well, which have no command line
            if argument in process.cmdline():
                children.append(process)
    return children


def find_runners(system: int, name: str) -> list[psutil.Process]:
    """Return the runner processes of the named server among the descendants of the system with this process id."""
    runners = []
    for process in psutil.Process(system).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.name().endswith(f"run-{name}"):
                runners.append(process)
    return runners


def find_runner(server: psutil.Process, name: str) -> psutil.Process:
    """Return the runner process among the ancestors of the named server."""
    return next(process for process in server.parents() if process.name().endswith(f"run-{name}"))
