"""Finds out what the kernel lets a process do with itself: each layer is tried in a child that is thrown away.

That a call is there proves little: a filter above this process may
answer in its place, so each check does what the layer must stop and sees it fail.
"""

from __future__ import annotations

import errno
import os

from satchel.adapters.sandbox import landlock, launch, syscalls

TYPE_CHECKING = False  # the module typing takes longer to import than everything here
if TYPE_CHECKING:
    from collections.abc import Callable

_PTRACE_TRACEME = 0
_HIDDEN = "/tmp"  # noqa: S108  (a directory that every system has, with something in it or not)


def main() -> None:
    """Print what holds, a layer a line, with the reason behind a colon where one does not."""
    for name, holds in CHECKS.items():
        child = os.fork()
        if child == 0:
            print(f"{name}:{_trouble(holds)}", flush=True)  # noqa: T201  (this is the answer)
            os._exit(0)
        os.waitpid(child, 0)


def landlock_holds() -> bool:
    """Tell whether the directory of everything cannot be listed any more."""
    landlock.version()
    launch.put_up({"layer": ["landlock"]}, os.getppid())
    return _refused(lambda: os.listdir("/"), errno.EACCES)


def seccomp_holds() -> bool:
    """Tell whether a call that nobody minds is refused."""
    launch.put_up({"layer": ["seccomp"]}, os.getppid())
    return _refused(lambda: syscalls.call("ptrace", _PTRACE_TRACEME, 0, 0, 0), errno.EPERM)


def mounts_hold() -> bool:
    """Tell whether a hidden directory is empty, and another read-only."""
    os.chdir("/")
    launch.put_up({"layer": ["mounts"], "hide": [_HIDDEN]}, os.getppid())
    return not os.listdir(_HIDDEN) and _refused(lambda: os.utime("/"), errno.EROFS)


CHECKS: dict[str, Callable[[], bool]] = {"landlock": landlock_holds, "seccomp": seccomp_holds, "mounts": mounts_hold}


def _trouble(holds: Callable[[], bool]) -> str:
    try:
        return "" if holds() else "it is there and stops nothing"
    except OSError as error:  # the kernel, or what is above it, refuses the layer itself
        return str(error)


def _refused(attempt: Callable[[], object], number: int) -> bool:
    try:
        attempt()
    except OSError as error:
        return error.errno == number
    return False
