"""Denies a server (with seccomp) the system calls that no tool needs, or that Landlock does not control."""

from __future__ import annotations

import errno

from satchel.adapters.sandbox import syscalls
from satchel.adapters.sandbox.bpf import WORD, Rule, load, program

_ALL_PROCESSES = WORD  # pid -1 as an unsigned number: kill(-1) signals all processes
_INET, _INET6, _NETLINK = 2, 10, 16
_DATAGRAM, _SOCKET_TYPE = 2, 0xF
_NEW_NAMESPACES = 0x7E020000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
# ioctl requests that change the flags of a file, even if the file is open only for reading
_SET_FLAGS, _SET_EXTENDED_FLAGS = 0x40086602, 0x401C5820

DENIED = [
    # system calls that inspect or control other processes
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "process_mrelease",
    "pidfd_getfd",
    "kcmp",
    "migrate_pages",
    "move_pages",
    # system calls that change mounts or namespaces, or bypass path checks
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "move_mount",
    "open_tree",
    "open_tree_attr",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "unshare",
    "setns",
    "name_to_handle_at",
    "open_by_handle_at",
    "fanotify_init",
    "lookup_dcookie",
    "quotactl",
    "quotactl_fd",
    "acct",
    # system calls that change settings of the machine
    "swapon",
    "swapoff",
    "reboot",
    "sethostname",
    "setdomainname",
    "iopl",
    "ioperm",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "kexec_file_load",
    "syslog",
    "settimeofday",
    "clock_settime",
    "adjtimex",
    "clock_adjtime",
    "vhangup",
    # system calls that access kernel internals, or make further calls that a seccomp filter cannot see
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    # system calls for keys or IPC objects: these outlive the process, and neither Landlock nor mounts control them
    "add_key",
    "request_key",
    "keyctl",
    "shmget",
    "shmat",
    "shmctl",
    "semget",
    "semctl",
    "semop",
    "semtimedop",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
    "mq_open",
    "mq_unlink",
]

_MODES = ["chmod", "fchmod", "fchmodat", "fchmodat2"]
_OWNERS = ["chown", "fchown", "lchown", "fchownat"]
_TIMES = ["utime", "utimes", "futimesat", "utimensat"]
_NEW_ATTRIBUTES = ["setxattr", "lsetxattr", "fsetxattr", "setxattrat", "file_setattr"]
_LOST_ATTRIBUTES = ["removexattr", "lremovexattr", "fremovexattr", "removexattrat"]
WITHOUT_EFFECT = [*_MODES, *_OWNERS, *_TIMES, *_NEW_ATTRIBUTES, *_LOST_ATTRIBUTES]
"""Calls that change file metadata. Landlock does not control these calls, and seccomp cannot check their paths."""

WATCHES = ("inotify_add_watch",)
"""Calls that watch directories. They reveal the names of files in readable directories, despite Landlock."""

_SIGNALS = ["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open"]
_SCHEDULING = ["sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority"]


def rules(*, network: bool, runner: int | None) -> list[Rule]:
    """Return the rules that deny a system call only with certain arguments.

    If ``runner`` (a pid) is given, also deny signals to the runner and to the runner's process group.
    """
    families = (_INET, _INET6, _NETLINK) if network else (_NETLINK,)
    denied = [
        # Deny Unix sockets and datagram pairs: a tool could reach local services (the desktop, Docker, other tools).
        Rule("socket", 0, families, error=errno.EACCES, unless=True),
        Rule("socketpair", 1, (_DATAGRAM,), error=errno.EACCES, mask=_SOCKET_TYPE),
        Rule("clone", 0, (0,), unless=True, mask=_NEW_NAMESPACES),
        Rule("ioctl", 1, (_TIOCSTI, _TIOCLINUX, _SET_FLAGS, _SET_EXTENDED_FLAGS)),
        Rule("kill", 0, (_ALL_PROCESSES,)),
        *(Rule(name, 0, (0,), unless=True) for name in ("prlimit64", *_SCHEDULING)),
        Rule("setpriority", 1, (0,), unless=True),
        *(Rule("ioprio_set", argument, (right,), unless=True) for argument, right in ((0, 1), (1, 0))),
    ]
    if runner is not None:
        denied += [Rule(name, 0, (runner, -runner & WORD)) for name in _SIGNALS]
    return denied


def install(*, network: bool, runner: int | None, mounts: bool) -> None:
    """Install the seccomp filter on this process and all its descendants. Raise OSError if the kernel rejects it.

    ``mounts`` is True if a mount namespace makes everything outside the workspace read-only. The server may then change
    file modes and times, and watch directories. If ``mounts`` is False, calls that change modes or times do nothing and
    return success, and calls that watch directories fail.
    """
    # Deny clone3, because seccomp cannot check its flags. After ENOSYS, the C library calls clone instead.
    errors = dict.fromkeys(DENIED, errno.EPERM) | {"clone3": errno.ENOSYS}
    if not mounts:
        errors |= dict.fromkeys(WITHOUT_EFFECT, 0) | dict.fromkeys(WATCHES, errno.EPERM)
    load(program(syscalls.machine(), errors, rules(network=network, runner=runner)))
