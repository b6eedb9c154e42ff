"""What a process may use up, and what it may become."""

from __future__ import annotations

import resource
import struct

from satchel.adapters.sandbox import syscalls

TYPE_CHECKING = False  # the module typing takes longer to import than everything here
if TYPE_CHECKING:
    from collections.abc import Mapping

_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 24, 38, 47
_CLEAR_AMBIENT = 4
_CAPABILITIES = struct.pack("Ii", 0x20080522, 0)  # version 3, this process
_MOST_CAPABILITIES = 64


def set_limits(limits: Mapping[str, int]) -> None:
    """Set resource limits by their names (``RLIMIT_…``), no higher than they are; no core is dumped."""
    for name, wanted in {**limits, "RLIMIT_CORE": 0}.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (value, value))


def running_threads() -> int:
    """Return how many threads there are on this machine: the kernel counts a user's, wherever they came from."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].partition("/")[2])


def give_up_privileges() -> None:
    """Let neither this process nor what it becomes have any capability, be it root's, or gain one by a program."""
    syscalls.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    syscalls.prctl(_PR_CAP_AMBIENT, _CLEAR_AMBIENT)
    for number in range(_MOST_CAPABILITIES):
        try:
            syscalls.prctl(_PR_CAPBSET_DROP, number)
        except OSError:  # there is no such capability, or nobody who has none may drop one
            break
    nothing = struct.pack("6I", 0, 0, 0, 0, 0, 0)
    syscalls.checked(syscalls.LIBC.capset(_CAPABILITIES, nothing), "capset")


def hide_this_process() -> None:
    """Keep what this process has in memory and in its environment from processes of the same user."""
    syscalls.prctl(_PR_SET_DUMPABLE, 0)
