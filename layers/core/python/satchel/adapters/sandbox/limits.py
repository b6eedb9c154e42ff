"""Limits of a server process: resource limits, the number of processes, and privileges.

The kernel does not apply RLIMIT_NPROC to root. For root, a control group limits the number of processes. This needs a
writable cgroup file system, version 1 or 2. Without one, root's processes have no limit.
"""

from __future__ import annotations

import os
import resource
import struct

from satchel.adapters.sandbox import syscalls

TYPE_CHECKING = False  # importing the module typing takes longer than this whole module
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 24, 38, 47
_CLEAR_AMBIENT = 4
_CAPABILITIES = struct.pack("Ii", 0x20080522, 0)  # version 3, this process
_MAX_CAPABILITIES = 64
_CGROUPS = "/sys/fs/cgroup"


def set_limits(limits: Mapping[str, int]) -> None:
    """Set resource limits by name (``RLIMIT_…``), at most to the current hard limit. Disable core dumps."""
    for name, requested in {**limits, "RLIMIT_CORE": 0}.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        value = requested if hard == resource.RLIM_INFINITY else min(requested, hard)
        resource.setrlimit(kind, (value, value))


def running_threads() -> int:
    """Return the number of threads on this machine: RLIMIT_NPROC counts all threads of a user, not only a server's."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].partition("/")[2])


def drop_privileges() -> None:
    """Drop all capabilities, root's too, for good: no program that this process executes can gain one."""
    syscalls.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    syscalls.prctl(_PR_CAP_AMBIENT, _CLEAR_AMBIENT)
    for number in range(_MAX_CAPABILITIES):
        try:
            syscalls.prctl(_PR_CAPBSET_DROP, number)
        except OSError:  # no such capability, or this process has no right to drop one
            break
    no_capabilities = struct.pack("6I", 0, 0, 0, 0, 0, 0)
    syscalls.checked(syscalls.LIBC.capset(_CAPABILITIES, no_capabilities), "capset")


def hide_this_process() -> None:
    """Protect the memory and the environment of this process from other processes of the same user."""
    syscalls.prctl(_PR_SET_DUMPABLE, 0)


def enter_cgroup(max_processes: int) -> bool:
    """Move this single-threaded process into a control group of limited size. Return False if there is none.

    Only the thread moves: to move a whole process, the kernel waits 10 ms and more until no thread on the machine is
    about to fork.
    """
    for parent, threads, settings in _cgroup_parents():
        group = _group(parent, os.getpid())
        try:
            _remove_stale_groups(parent)
            if not os.path.isdir(group):  # an earlier process with the same id can have left it
                os.mkdir(group)
            for name, text in (*settings, ("pids.max", str(max_processes)), (threads, "0")):
                _write(parent if name == "cgroup.subtree_control" else group, name, text)
        except OSError:
            _remove(group)
        else:
            return True
    return False


def remove_cgroup(pid: int) -> None:
    """Remove the control group of a dead server, if there is one."""
    for parent, *_ in _cgroup_parents():
        _remove(_group(parent, pid))


def _cgroup_parents() -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Yield ``(group, threads file, settings)`` for each group of this process that can count processes.

    The threads file moves a thread into a group. The settings must be written before.
    """
    try:
        with open("/proc/self/cgroup") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if "pids" in controllers.split(","):
            yield f"{_CGROUPS}/{controllers}{path.rstrip('/')}", "tasks", ()
        elif not controllers:
            # A group that contains processes can count the processes of its subgroups only if these are threaded.
            threaded = (("cgroup.subtree_control", "+pids"), ("cgroup.type", "threaded"))
            yield f"{_CGROUPS}{path.rstrip('/')}", "cgroup.threads", threaded


def _remove_stale_groups(parent: str) -> None:
    """Remove groups of dead processes: a runner that was killed left them."""
    for name in os.listdir(parent):
        prefix, _, pid = name.partition("-")
        if prefix == "satchel" and not os.path.exists(f"/proc/{pid}"):
            _remove(f"{parent}/{name}")


def _group(parent: str, pid: int) -> str:
    return f"{parent}/satchel-{pid}"


def _write(group: str, name: str, text: str) -> None:
    fd = os.open(f"{group}/{name}", os.O_WRONLY)  # without O_CREAT: the kernel provides these files
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _remove(group: str) -> None:
    try:
        os.rmdir(group)
    except OSError:  # the group does not exist, or contains a process that another thread is about to kill
        return
