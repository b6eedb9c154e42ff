"""Program that checks which sandbox layers and safeguards the kernel enforces.

Each check applies a layer in a forked child, then tries an operation that the layer must deny. It is not enough that
the system call which applies the layer succeeds: a seccomp filter that this process inherits can answer that call
instead of the kernel. For the same reason, each check of a safeguard asks the kernel for the resulting state.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource

from satchel.adapters.sandbox import landlock, launch, limits, syscalls

TYPE_CHECKING = False  # TYPE_CHECKING is set here because importing typing takes longer than importing this module
if TYPE_CHECKING:
    from collections.abc import Callable

_PTRACE_TRACEME = 0
_PR_GET_PDEATHSIG, _PR_GET_DUMPABLE, _PR_GET_CHILD_SUBREAPER = 2, 3, 37
_READABLE = "/dev"
_HIDDEN = "/tmp"  # noqa: S108  (a directory that exists on every system)


def main() -> None:
    """Check all layers and safeguards. Print ``name:`` for each that works, and ``name:reason`` for each other one."""
    for name, is_enforced in CHECKS.items():
        child = os.fork()
        if child == 0:
            print(f"{name}:{_problem(is_enforced)}", flush=True)  # noqa: T201  (the output of this program)
            os._exit(0)
        os.waitpid(child, 0)


def landlock_is_enforced() -> bool:
    """Apply Landlock to this process. Return True if it denies listing ``/`` and allows another directory."""
    landlock.version()
    launch.enter_sandbox({"layer": ["landlock"], "read": [_READABLE]}, os.getppid())
    os.listdir(_READABLE)
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


def privileges_are_dropped() -> bool:
    """Drop all privileges. Return True if the kernel reports that this process has none and can gain none."""
    limits.drop_privileges()
    with open("/proc/self/status") as file:
        status = dict(line.split(":", 1) for line in file)
    capabilities = [int(status[name], 16) for name in ("CapPrm", "CapEff", "CapAmb")]
    return int(status["NoNewPrivs"]) == 1 and not any(capabilities)


def limits_are_set() -> bool:
    """Disable core dumps. Return True if the kernel reports this limit."""
    limits.set_limits({})
    return resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)


def memory_is_hidden() -> bool:
    """Hide the memory of this process. Return True if the kernel reports that it is hidden."""
    limits.hide_this_process()
    return syscalls.prctl(_PR_GET_DUMPABLE) == 0


def session_is_separate() -> bool:
    """Start a process session. Return True if this process leads it."""
    os.setsid()
    return os.getsid(0) == os.getpid()


def subreaper_is_set() -> bool:
    """Become a subreaper. Return True if the kernel reports this."""
    limits.become_subreaper()
    return _read_setting(_PR_GET_CHILD_SUBREAPER) == 1


def death_signal_is_set() -> bool:
    """Set the death signal. Return True if the kernel reports that there is one."""
    limits.die_with_parent()
    return _read_setting(_PR_GET_PDEATHSIG) != 0


CHECKS: dict[str, Callable[[], bool]] = {
    "landlock": landlock_is_enforced,
    "seccomp": seccomp_is_enforced,
    "mounts": mounts_are_enforced,
    "privileges": privileges_are_dropped,
    "limits": limits_are_set,
    "memory": memory_is_hidden,
    "session": session_is_separate,
    "subreaper": subreaper_is_set,
    "death_signal": death_signal_is_set,
}


def _read_setting(option: int) -> int:
    value = ctypes.c_int()
    syscalls.prctl(option, ctypes.addressof(value))
    return value.value


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
