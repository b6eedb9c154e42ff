"""A control group of a server's own, which counts its processes: for root, whose the kernel counts in no other way.

It takes a cgroup file system that may be written, of either version. Where there is none, root is not limited.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # the module typing takes longer to import than everything here
if TYPE_CHECKING:
    from collections.abc import Iterator

_TOP = "/sys/fs/cgroup"


def enter(most: int) -> bool:
    """Move this process, of one thread, into a group of at most so many processes; tell whether there is one.

    The thread alone is moved: for a whole process the kernel waits until no thread anywhere is about to fork, 10 ms
    and more.
    """
    for parent, threads, settings in _parents():
        group = _group(parent, os.getpid())
        try:
            _remove_left(parent)
            if not os.path.isdir(group):  # it may be left of a process that had this number before
                os.mkdir(group)
            for place, text in (*settings, ("pids.max", str(most)), (threads, "0")):
                _write(parent if place == "cgroup.subtree_control" else group, place, text)
        except OSError:
            _remove(group)
        else:
            return True
    return False


def leave_none(pid: int) -> None:
    """Remove the group of a server that is dead, where it had one."""
    for parent, *_ in _parents():
        _remove(_group(parent, pid))


def _parents() -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Yield the groups in which this process is and where processes can be counted.

    With each the name of the file that threads are moved by, and what must be set before.
    """
    try:
        with open("/proc/self/cgroup") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if "pids" in controllers.split(","):
            yield f"{_TOP}/{controllers}{path.rstrip('/')}", "tasks", ()
        elif not controllers:
            # A group with processes in it may count those of groups below it if they are parts of it (threaded).
            threaded = (("cgroup.subtree_control", "+pids"), ("cgroup.type", "threaded"))
            yield f"{_TOP}{path.rstrip('/')}", "cgroup.threads", threaded


def _remove_left(parent: str) -> None:
    """A runner that was killed could remove nothing."""
    for name in os.listdir(parent):
        prefix, _, pid = name.partition("-")
        if prefix == "satchel" and not os.path.exists(f"/proc/{pid}"):
            _remove(f"{parent}/{name}")


def _group(parent: str, pid: int) -> str:
    return f"{parent}/satchel-{pid}"


def _write(group: str, name: str, text: str) -> None:
    fd = os.open(f"{group}/{name}", os.O_WRONLY)  # these files are never made, only written
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _remove(group: str) -> None:
    try:
        os.rmdir(group)
    except OSError:  # it is not there, or somebody is in it who is about to be killed elsewhere
        return
