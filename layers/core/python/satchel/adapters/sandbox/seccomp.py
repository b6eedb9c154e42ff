"""Which system calls a server is refused: what no tool needs, and what Landlock does not see."""

from __future__ import annotations

import errno

from satchel.adapters.sandbox import syscalls
from satchel.adapters.sandbox.filters import WORD, Rule, load, program

_EVERYBODY = WORD  # minus one
_INET, _INET6, _NETLINK = 2, 10, 16
_DATAGRAM, _SOCKET_TYPE = 2, 0xF
_NEW_NAMESPACES = 0x7E020000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_SET_FLAGS, _SET_MORE_FLAGS = 0x40086602, 0x401C5820  # of a file that is open for reading

REFUSED = [
    # other processes
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "process_mrelease",
    "pidfd_getfd",
    "kcmp",
    "migrate_pages",
    "move_pages",
    # another view of the file system
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
    # the machine
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
    # the kernel's inside, and calls that reach past this filter
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    # what outlasts the process and belongs to no directory
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

UNCHANGED = [
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
"""Modes, owners, times and attributes: Landlock does not keep them, and no filter can see whose they are."""

WATCHES = ("inotify_add_watch",)
"""Tells the names of files in any directory whose mode allows it, Landlock or not."""

_SIGNALS = ["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open"]
_OF_OTHERS = ["prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority"]


def rules(*, network: bool, runner: int | None) -> list[Rule]:
    """Return what is refused by arguments. ``runner``: a process (and group) to which no signal may be sent."""
    families = (_INET, _INET6, _NETLINK) if network else (_NETLINK,)
    found = [
        # A socket in the file system or of an abstract name leads to whoever listens: desktop, docker, other tools.
        Rule("socket", 0, families, error=errno.EACCES, unless=True),
        Rule("socketpair", 1, (_DATAGRAM,), error=errno.EACCES, mask=_SOCKET_TYPE),  # it can send to any of those, too
        Rule("clone", 0, (0,), unless=True, mask=_NEW_NAMESPACES),
        Rule("ioctl", 1, (_TIOCSTI, _TIOCLINUX, _SET_FLAGS, _SET_MORE_FLAGS)),
        Rule("kill", 0, (_EVERYBODY,)),
        *(Rule(name, 0, (0,), unless=True) for name in _OF_OTHERS),
        Rule("setpriority", 1, (0,), unless=True),
        *(Rule("ioprio_set", argument, (right,), unless=True) for argument, right in ((0, 1), (1, 0))),
    ]
    if runner is not None:
        found += [Rule(name, 0, (runner, -runner & WORD)) for name in _SIGNALS]
    return found


def install(*, network: bool, runner: int | None, mounts: bool) -> None:
    """Put the filter on this process and all that it starts.

    Where ``mounts`` keeps what is outside read-only, modes and times may be changed and directories watched; elsewhere
    changes of them are answered as done and not done. Raises OSError where the kernel refuses.
    """
    answers = dict.fromkeys(REFUSED, errno.EPERM) | {"clone3": errno.ENOSYS}  # its flags lie where no filter looks
    if not mounts:
        answers |= dict.fromkeys(UNCHANGED, 0) | dict.fromkeys(WATCHES, errno.EPERM)
    load(program(syscalls.machine(), answers, rules(network=network, runner=runner)))
