"""Makes system calls for which Python has no function, by their number.

This module replaces packages for Landlock and seccomp. These packages need C libraries that Lambda does not have, or
take too long to import, and each start of a server would wait for the import.
"""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)

X86 = "x86_64"
_ARM = "aarch64"

_NUMBERS = {
    # name: (number on x86_64, number on aarch64); None means that the architecture does not have the call
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "unshare": (272, 97),
    "setns": (308, 268),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, None),
    "ioperm": (173, None),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "lookup_dcookie": (212, 18),
    "vhangup": (153, 58),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "clone": (56, 220),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "setpriority": (141, 140),
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "inotify_add_watch": (254, 27),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "prctl": (157, 167),
    "seccomp": (317, 277),
}

_COMMON_NUMBERS = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_open": 434,
    "clone3": 435,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
    "process_mrelease": 448,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "open_tree_attr": 467,
    "file_setattr": 469,
}

NEWEST = 469
"""Highest known system call number. Seccomp denies higher numbers, because the effect of newer calls is unknown."""


def machine() -> str:
    """Return the kernel's name for the processor architecture, such as ``x86_64``."""
    return os.uname().machine


def numbers(architecture: str) -> dict[str, int]:
    """Return a dict from system call names to numbers. The dict is empty if the architecture is unknown."""
    if architecture not in {X86, _ARM}:
        return {}
    specific = ((name, pair[0 if architecture == X86 else 1]) for name, pair in _NUMBERS.items())
    return {**{name: number for name, number in specific if number is not None}, **_COMMON_NUMBERS}


def call(name: str, *arguments: object) -> int:
    """Make a system call and return its result. Raise OSError if the call fails or has no known number."""
    number = _COMMON_NUMBERS.get(name) or numbers(machine()).get(name)
    if number is None:
        raise OSError(38, f"{name}: unknown on {machine()}")
    return checked(LIBC.syscall(number, *arguments), name)


def prctl(option: int, *arguments: int) -> int:
    """Call prctl, which reads or changes a setting of this process. Raise OSError if it fails."""
    padded = [*arguments, 0, 0, 0, 0][:4]
    return checked(LIBC.prctl(option, *map(ctypes.c_ulong, padded)), f"prctl({option})")


def checked(result: int, operation: str) -> int:
    """Return the result of a C function. If it is negative, raise OSError with errno and the name ``operation``."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{operation}: {os.strerror(number)}")
    return result
