"""Seccomp policy of a server: denies system calls that no tool needs, and those that Landlock does not control."""

from __future__ import annotations

import errno

from satchel.adapters.sandbox import syscalls
from satchel.adapters.sandbox.bpf import WORD, Rule, load, program

_ALL_PROCESSES = WORD  # pid -1, which in kill() means all processes
_INET, _INET6, _NETLINK = 2, 10, 16
_DATAGRAM, _SOCKET_TYPE = 2, 0xF
_NEW_NAMESPACES = 0x7E020000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_SET_FLAGS, _SET_EXTENDED_FLAGS = 0x40086602, 0x401C5820  # these ioctls need only read access to a file

DENIED = [
    # inspect or control other processes
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "process_mrelease",
    "pidfd_getfd",
    "kcmp",
    "migrate_pages",
    "move_pages",
    # change mounts or namespaces, or bypass path checks
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
    # change settings of the machine
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
    # access kernel internals, or make system calls that this filter cannot see
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    # use keys or IPC objects, which outlive the process and which Landlock and mounts do not control
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

WITHOUT_EFFECT = [
    "chmod",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "fchown",
    "lchown",
    "fchownat",
    "utime",
    "utimes",
    "futimesat",
    "utimensat",
    "setxattr",
    "lsetxattr",
    "fsetxattr",
    "removexattr",
    "lremovexattr",
    "fremovexattr",
    "setxattrat",
    "removexattrat",
    "file_setattr",
]
"""Calls that change modes, owners, times or attributes. Landlock ignores them; seccomp can only block all paths."""

WATCHES = ("inotify_add_watch",)
"""Calls that watch directories. They reveal file names in all readable directories; Landlock does not stop them."""

_SIGNALS = ["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open"]
_ON_OTHER_PROCESSES = [
    "prlimit64",
    "sched_setaffinity",
    "sched_setscheduler",
    "sched_setparam",
    "sched_setattr",
    "setpriority",
]


def rules(*, network: bool, runner: int | None) -> list[Rule]:
    """Return the rules that deny certain arguments of system calls that are otherwise allowed.

    ``runner``: pid of a process (and process group) to which signals are denied, or None to add no such rule.
    """
    families = (_INET, _INET6, _NETLINK) if network else (_NETLINK,)
    denied = [
        # Deny Unix sockets: through them a tool could reach any local service (the desktop, Docker, other tools).
        Rule("socket", 0, families, error=errno.EACCES, unless=True),
        Rule("socketpair", 1, (_DATAGRAM,), error=errno.EACCES, mask=_SOCKET_TYPE),  # datagrams can reach Unix sockets
        Rule("clone", 0, (0,), unless=True, mask=_NEW_NAMESPACES),
        Rule("ioctl", 1, (_TIOCSTI, _TIOCLINUX, _SET_FLAGS, _SET_EXTENDED_FLAGS)),
        Rule("kill", 0, (_ALL_PROCESSES,)),
        *(Rule(name, 0, (0,), unless=True) for name in _ON_OTHER_PROCESSES),
        Rule("setpriority", 1, (0,), unless=True),
        *(Rule("ioprio_set", argument, (right,), unless=True) for argument, right in ((0, 1), (1, 0))),
    ]
    if runner is not None:
        denied += [Rule(name, 0, (runner, -runner & WORD)) for name in _SIGNALS]
    return denied


def install(*, network: bool, runner: int | None, mounts: bool) -> None:
    """Install the seccomp filter on this process and all its descendants. Raise OSError if the kernel rejects it.

    With ``mounts``, everything outside the workspace is read-only, so the filter lets a server change modes and times
    and watch directories. Without it, calls that change modes or times return success but do nothing.
    """
    errors = dict.fromkeys(DENIED, errno.EPERM) | {"clone3": errno.ENOSYS}  # seccomp cannot read clone3's flags
    if not mounts:
        errors |= dict.fromkeys(WITHOUT_EFFECT, 0) | dict.fromkeys(WATCHES, errno.EPERM)
    load(program(syscalls.machine(), errors, rules(network=network, runner=runner)))
