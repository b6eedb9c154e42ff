"""Parts of the kernel that no tool needs, and that lead around the others."""

import ctypes
import fcntl
import os
import struct

from .ground import LIBC, Ground, attack, syscall, wanted

NEW_MOUNTS, NEW_USERS = 0x20000, 0x10000000
CLONE, UNSHARE, SETNS, CHROOT, MOUNT, OPEN_TREE = 56, 272, 308, 161, 165, 428
BPF, PERF, USERFAULTFD, IO_URING, ADD_KEY, FANOTIFY, MQ_OPEN = 321, 298, 323, 425, 248, 300, 240
MSGGET, SHMGET, SEMGET, QUOTACTL, MODULE, SETHOSTNAME = 68, 29, 64, 179, 175, 170
IPC_PRIVATE, TIOCSTI = 0, 0x5412


@attack
def mount_over(ground: Ground) -> None:
    syscall(MOUNT, b"none", os.fsencode(ground.mine), b"tmpfs", 0, None)


@attack
def bind_outside_in(ground: Ground) -> None:
    syscall(MOUNT, os.fsencode(ground.out), os.fsencode(ground.mine), None, 4096, None)


@attack
def write_again(_: Ground) -> None:
    """Take back that the file system is read-only."""
    syscall(MOUNT, None, b"/", None, 4096 | 32, None)


@attack
def unmount_the_cover(ground: Ground) -> None:
    syscall(166, os.fsencode(ground.mine.parent), 2)


@attack
def copy_of_a_mount(ground: Ground) -> None:
    syscall(OPEN_TREE, -100, os.fsencode(ground.mine), 1)


@attack
def namespace_of_mounts(_: Ground) -> None:
    syscall(UNSHARE, NEW_MOUNTS)


@attack
def namespace_of_users(_: Ground) -> None:
    syscall(UNSHARE, NEW_USERS)


@attack
def child_in_a_namespace(_: Ground) -> None:
    if syscall(CLONE, NEW_USERS | 17, 0, 0, 0, 0) == 0:
        os._exit(0)


@attack
def enter_a_namespace(ground: Ground) -> None:
    syscall(SETNS, os.open(f"/proc/{ground.runner}/ns/mnt", os.O_RDONLY), 0)


@attack
def another_root(ground: Ground) -> None:
    syscall(CHROOT, os.fsencode(ground.mine))


@attack
def program_in_the_kernel(_: Ground) -> None:
    syscall(BPF, 0, struct.pack("IIII", 2, 4, 4, 1), 16)


@attack
def counters(_: Ground) -> None:
    syscall(PERF, struct.pack("IIQ", 1, 64, 0) + bytes(48), 0, -1, -1, 0)


@attack
def faults_in_memory(_: Ground) -> None:
    syscall(USERFAULTFD, 1)


@attack
def ring_of_calls(_: Ground) -> None:
    syscall(IO_URING, 4, ctypes.create_string_buffer(120))


@attack
def key_of_the_session(_: Ground) -> None:
    syscall(ADD_KEY, b"user", b"pwn", b"x", 1, -3)


@attack
def watch_the_file_system(_: Ground) -> None:
    syscall(FANOTIFY, 0x200, 0)


@attack
def queue_by_name(_: Ground) -> None:
    syscall(MQ_OPEN, b"satchel-attack", os.O_CREAT | os.O_RDWR, 0o600, None)


@attack
def queue_of_messages(_: Ground) -> None:
    syscall(MSGGET, IPC_PRIVATE, 0o600 | 0o1000)


@attack
def shared_segment(_: Ground) -> None:
    syscall(SHMGET, IPC_PRIVATE, 4096, 0o600 | 0o1000)


@attack
def set_of_semaphores(_: Ground) -> None:
    syscall(SEMGET, IPC_PRIVATE, 1, 0o600 | 0o1000)


@attack
def name_of_the_machine(_: Ground) -> None:
    name = os.uname().nodename.encode()
    syscall(SETHOSTNAME, name, len(name))


@attack
def types_into_the_terminal(_: Ground) -> None:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, TIOCSTI, b"x")
    os.close(ours)


@attack
def calls_numbered_otherwise(ground: Ground) -> None:
    """x86_64 numbers its calls in a second way, which a filter may forget."""
    syscall(0x40000000 | 257, -100, os.fsencode(ground.new), os.O_CREAT | os.O_WRONLY, 0o600)


@attack
def become_somebody_else(_: Ground) -> None:
    wanted(success=LIBC.setuid(65534) == 0 and os.geteuid() == 65534)
