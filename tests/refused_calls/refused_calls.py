"""Refuses system calls to a runner, as a machine that filters them does."""

import errno
import os
from collections.abc import Collection, Sequence

from satchel.adapters.sandbox import bpf, syscalls

PRCTL_OPTIONS = {
    "PR_SET_DUMPABLE": 4,
    "PR_CAPBSET_READ": 23,
    "PR_CAPBSET_DROP": 24,
    "PR_SET_SECCOMP": 22,
    "PR_SET_PDEATHSIG": 1,
    "PR_SET_CHILD_SUBREAPER": 36,
    "PR_SET_NO_NEW_PRIVS": 38,
    "PR_CAP_AMBIENT": 47,
}
"""Options of prctl that the runner and its servers use. Each can be refused alone."""

_NUMBERS = {
    # name: (number on x86_64, number on aarch64); None means that the architecture does not have the call
    "pidfd_open": (434, 434),
    "waitid": (247, 95),
    "setsid": (112, 157),
    "getsid": (124, 156),
    "capset": (126, 91),
    "prlimit64": (302, 261),
    "unshare": (272, 97),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "ptrace": (101, 117),
    "seccomp": (317, 277),
    "clone3": (435, 435),
    "vfork": (58, None),
    "close_range": (436, 436),
    "statx": (332, 291),
    "getrandom": (318, 278),
    "rseq": (334, 293),
    "set_robust_list": (273, 99),
    "madvise": (28, 233),
    "sched_getaffinity": (204, 123),
    "sysinfo": (99, 179),
    "umask": (95, 166),
    "chmod": (90, None),
    "fchmodat": (268, 53),
    "flock": (73, 32),
    "ftruncate": (77, 46),
    "ioctl": (16, 29),
    "access": (21, None),
    "faccessat": (269, 48),
    "uname": (63, 160),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "kill": (62, 129),
    "poll": (7, None),
    "ppoll": (271, 73),
    "clock_nanosleep": (230, 115),
    "prctl": (157, 167),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "pidfd_send_signal": (424, 424),
    "memfd_create": (319, 279),
    "eventfd2": (290, 19),
    "inotify_add_watch": (254, 27),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "process_vm_readv": (310, 270),
    "shmget": (29, 194),
    "keyctl": (250, 219),
    "socketpair": (53, 199),
    "getsockname": (51, 204),
    "bind": (49, 200),
}

NAMES = (*PRCTL_OPTIONS, *_NUMBERS)
"""All calls that can be refused."""


KERNEL_LAYERS = (
    "landlock_create_ruleset",
    "PR_SET_SECCOMP",
    "seccomp",
    "unshare",
)
"""Calls without which no kernel layer works."""

_ALWAYS = {
    "getrandom": "OpenSSL, with which the runner reaches AWS, ends without random numbers",
    "rseq": "glibc 2.35 and newer aborts in a fork if its registration, which worked at the start, is refused later",
    "ioctl": "Python makes sockets non-blocking with it, and asyncio needs such sockets",
    "socketpair": "asyncio wakes its event loop with it",
    "geteuid": "the runner uses only directories that its own user owns",
    "access": "the C library and Python look for programs and libraries with it",
    "kill": "without it a server could never be ended",
    "poll": "urllib3, with which the runner reaches AWS, waits with it",
    "clock_nanosleep": "no process could wait",
    "readlink": "the interpreter finds its own installation with it",
}
NEEDED = {(name, error): reason for name, reason in _ALWAYS.items() for error in (errno.ENOSYS, errno.EPERM)} | {
    ("clone3", errno.EPERM): "glibc starts threads with `clone` instead only after ENOSYS"
}
"""Calls without which no process of the runner works, with the error and the reason."""


def tolerated(error: int) -> tuple[str, ...]:
    """Return all calls that may fail with this error at the same time."""
    return tuple(name for name in NAMES if (name, error) not in NEEDED)


def refuse(names: Collection[str], error: int) -> None:
    """Make these calls fail with an error number, in this process and its descendants. Raise KeyError for other names.

    Do nothing if there are no names.
    """
    if not names:
        return
    architecture = 0 if syscalls.machine() == syscalls.X86 else 1
    known: Sequence[str] = [name for name in names if name not in PRCTL_OPTIONS and _NUMBERS[name][architecture]]
    syscalls._NUMBERS.update(_NUMBERS)  # noqa: SLF001  (the product knows only the calls that it needs)
    options = tuple(PRCTL_OPTIONS[name] for name in names if name in PRCTL_OPTIONS)
    rules = [bpf.Rule("prctl", 0, options, error=error)] if options else []
    bpf.load(bpf.program(os.uname().machine, dict.fromkeys(known, error), rules))
