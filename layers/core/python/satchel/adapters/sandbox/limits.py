"""Limits a server process: sets resource limits and a maximum number of processes, and drops privileges.

A function that sets a safeguard raises OSError if the kernel, or a filter of system calls, refuses it. The launcher and
the runner then continue without that safeguard (``without_refused``), and ``kernel_checks`` reports it.

The kernel does not apply RLIMIT_NPROC to root. So if the server runs as root, a control group (version 1 or 2) limits
the number of its processes. If the cgroup file system is not writable, a root server can start any number of processes.
"""

from __future__ import annotations

import errno
import os
import resource
import struct

from satchel.adapters.sandbox import syscalls

TYPE_CHECKING = False  # TYPE_CHECKING is set here because importing typing takes longer than importing this module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 36, 38, 47
_SIGKILL = 9  # a number, because importing the signal module takes longer than importing this whole module
_CLEAR_AMBIENT = 4
_CAPABILITIES = struct.pack("Ii", 0x20080522, 0)  # the header for capset: version 3, pid 0 (this process)
_MAX_CAPABILITIES = 64
_CGROUPS = "/sys/fs/cgroup"
_LIMIT_CONTROLLERS = frozenset({"blkio", "cpu", "cpuacct", "cpuset", "hugetlb", "io", "memory", "pids"})


def set_limits(limits: Mapping[str, int]) -> None:
    """Set resource limits by name (``RLIMIT_…``), but not above the current hard limits. Disable core dumps."""
    requested = {**limits, "RLIMIT_CORE": 0}
    try_all(*(lambda name=name: _set_limit(name, requested[name]) for name in requested))


def try_all(*steps: Callable[[], object]) -> None:
    """Run all steps, also after one that raises OSError. Then raise the first OSError, if any."""
    errors: list[OSError] = []
    for step in steps:
        try:
            step()
        except OSError as error:
            errors.append(error)
    if errors:
        raise errors[0]


def without_refused(*safeguards: Callable[[], object]) -> None:
    """Set these safeguards. Skip each one that the kernel refuses: tools run with fewer safeguards rather than not."""
    try:
        try_all(*safeguards)
    except OSError:
        return


def _set_limit(name: str, requested: int) -> None:
    kind = getattr(resource, name)
    hard = resource.getrlimit(kind)[1]
    value = requested if hard == resource.RLIM_INFINITY else min(requested, hard)
    try:
        resource.setrlimit(kind, (value, value))
    except ValueError as error:  # this is how Python reports EPERM
        raise PermissionError(errno.EPERM, f"setrlimit({name}): {error}") from error


def running_threads() -> int:
    """Return the number of threads on this machine, an upper bound for the user's threads (counted by RLIMIT_NPROC)."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].partition("/")[2])


def drop_privileges() -> None:
    """Permanently drop all capabilities, including root's. No program that this process executes can regain them.

    If the kernel refuses a step, take the other steps, and then raise OSError.
    """
    try_all(
        lambda: syscalls.prctl(_PR_SET_NO_NEW_PRIVS, 1),
        lambda: syscalls.prctl(_PR_CAP_AMBIENT, _CLEAR_AMBIENT),
        _drop_bounding_set,
        lambda: syscalls.checked(syscalls.LIBC.capset(_CAPABILITIES, struct.pack("6I", 0, 0, 0, 0, 0, 0)), "capset"),
    )


def _drop_bounding_set() -> None:
    for number in range(_MAX_CAPABILITIES):
        try:
            syscalls.prctl(_PR_CAPBSET_DROP, number)
        except OSError:  # this capability does not exist, or this process may not drop capabilities
            break


def hide_this_process() -> None:
    """Prevent other processes of the same user from reading the memory and environment of this process."""
    syscalls.prctl(_PR_SET_DUMPABLE, 0)


def become_subreaper() -> None:
    """Make this process, and the program that it executes, adopt descendants whose parent dies."""
    syscalls.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Let the kernel kill this process when the thread that started it ends."""
    syscalls.prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def enter_cgroup(max_processes: int) -> bool:
    """Move this process into a control group that limits its processes. Return False if no group can be created.

    Move only the thread, because this process has a single thread and moving a process is slow: the kernel would wait
    10 ms or more until no thread on the machine is forking.
    """
    for parent, threads, settings in _cgroup_parents():
        group = _group(parent, os.getpid())
        try:
            _remove_stale_groups(parent)
            if not os.path.isdir(group):  # a dead process with the same pid may have left its group behind
                os.mkdir(group)
            for name, text in (*settings, ("pids.max", str(max_processes)), (threads, "0")):
                _write(parent if name == "cgroup.subtree_control" else group, name, text)
        except OSError:
            _remove(group)
        else:
            return True
    return False


def limit_files() -> list[str]:
    """Return the files with the limits and the usage of this process's control groups and of the groups above.

    Programs read their limits there: DuckDB aborts if it may not. Other files of the same directories list the
    processes of the whole machine, or change the groups.
    """
    folders: dict[str, None] = {}
    for controllers, path in _own_cgroups():
        tops = [f"{_CGROUPS}/{controllers}"] if controllers else [_CGROUPS, f"{_CGROUPS}/unified"]
        names = path.strip("/").split("/")
        for top in tops:
            folders.update(dict.fromkeys("/".join([top, *names[:count]]) for count in range(len(names) + 1)))
    return [f"{folder}/{name}" for folder in folders for name in _names_in(folder) if _is_limit(name)]


def _is_limit(name: str) -> bool:
    controller, dot, _ = name.partition(".")  # in version 1, a name without a dot is the directory of a controller
    return (bool(dot) and controller in _LIMIT_CONTROLLERS) or name == "cgroup.controllers"


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # most groups have no directory for each controller, and containers do not show those above
        return []


def remove_cgroup(pid: int) -> None:
    """Remove the control group of a dead server, if it had one."""
    for parent, *_ in _cgroup_parents():
        _remove(_group(parent, pid))


def _cgroup_parents() -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Yield ``(group, threads file, settings)`` for each control group of this process that can count processes.

    To move a thread into a subgroup, write the ``settings`` (pairs of file name and text) first. Then write the thread
    id to the ``threads file`` of the subgroup.
    """
    for controllers, path in _own_cgroups():
        if "pids" in controllers.split(","):
            yield f"{_CGROUPS}/{controllers}{path.rstrip('/')}", "tasks", ()
        elif not controllers:
            # A control group that contains processes can count those of a subgroup only if the subgroup is threaded.
            threaded = (("cgroup.subtree_control", "+pids"), ("cgroup.type", "threaded"))
            yield f"{_CGROUPS}{path.rstrip('/')}", "cgroup.threads", threaded


def _own_cgroups() -> Iterator[tuple[str, str]]:
    """Yield ``(controllers, path)`` for each control group of this process. Version 2 names no controllers."""
    try:
        with open("/proc/self/cgroup") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        yield controllers, path


def _remove_stale_groups(parent: str) -> None:
    """Remove the control groups of dead servers whose runner was killed before it could remove them."""
    for name in os.listdir(parent):
        prefix, _, pid = name.partition("-")
        if prefix == "satchel" and not os.path.exists(f"/proc/{pid}"):
            _remove(f"{parent}/{name}")


def _group(parent: str, pid: int) -> str:
    return f"{parent}/satchel-{pid}"


def _write(group: str, name: str, text: str) -> None:
    fd = os.open(f"{group}/{name}", os.O_WRONLY)  # no O_CREAT: the kernel provides the files of a control group
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _remove(group: str) -> None:
    try:
        os.rmdir(group)
    except OSError:  # the group does not exist, or still contains a process that another thread is about to kill
        return
