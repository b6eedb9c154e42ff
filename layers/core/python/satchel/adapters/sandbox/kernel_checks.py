"""Program that checks which sandbox layers the kernel enforces.

Each check applies a layer in a forked child, then tries an operation that the layer must deny. It is not enough that
the system call which applies the layer succeeds: a seccomp filter that this process inherits can answer that call
instead of the kernel.
"""

from __future__ import annotations

import errno
import os

from satchel.adapters.sandbox import landlock, launch, syscalls

TYPE_CHECKING = False  # TYPE_CHECKING is set here because importing typing takes longer than importing this module
if TYPE_CHECKING:
    from collections.abc import Callable

_PTRACE_TRACEME = 0
_HIDDEN = "/tmp"  # noqa: S108  (a directory that exists on every system)


def main() -> None:
    """Check all sandbox layers. Print ``name:`` for each layer that works, or ``name:reason`` for one that does not."""
    for name, is_enforced in CHECKS.items():
        child = os.fork()
        if child == 0:
            print(f"{name}:{_problem(is_enforced)}", flush=True)  # noqa: T201  (the output of this program)
            os._exit(0)
        os.waitpid(child, 0)


def landlock_is_enforced() -> bool:
    """Apply Landlock to this process. Return True if ``/`` can then no longer be listed."""
    landlock.version()
    launch.enter_sandbox({"layer": ["landlock"]}, os.getppid())
    return _fails_with(errno.EACCES, lambda: os.listdir("/"))


def seccomp_is_enforced() -> bool:
    """Apply the seccomp filter to this process. Return True if it denies a harmless ptrace call."""
    launch.enter_sandbox({"layer": ["seccomp"]}, os.getppid())
    return _fails_with(errno.EPERM, lambda: syscalls.call("ptrace", _PTRACE_TRACEME, 0, 0, 0))


def mounts_are_enforced() -> bool:
    """Enter a mount namespace. Return True if a hidden directory then looks empty and ``/`` is read-only."""
    os.chdir("/")
    launch.enter_sandbox({"layer": ["mounts"], "hide": [_HIDDEN]}, os.getppid())
    return not os.listdir(_HIDDEN) and _fails_with(errno.EROFS, lambda: os.utime("/"))


CHECKS: dict[str, Callable[[], bool]] = {
    "landlock": landlock_is_enforced,
    "seccomp": seccomp_is_enforced,
    "mounts": mounts_are_enforced,
}


def _problem(is_enforced: Callable[[], bool]) -> str:
    try:
        return "" if is_enforced() else "the kernel accepts it, but it blocks nothing"
    except OSError as error:  # the kernel, or a seccomp filter that this process inherits, rejects the layer
        return str(error)


def _fails_with(number: int, attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError as error:
        return error.errno == number
    return False
