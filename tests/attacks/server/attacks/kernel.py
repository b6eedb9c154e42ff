"""Kernel interfaces that no tool needs, or that bypass the other sandbox layers."""

import ctypes
import fcntl
import os
import struct

from .framework import LIBC, Target, attack, require, syscall

NEW_MOUNTS, NEW_USERS = 0x20000, 0x10000000
CLONE, UNSHARE, SETNS, CHROOT, MOUNT, OPEN_TREE = 56, 272, 308, 161, 165, 428
BPF, PERF, USERFAULTFD, IO_URING, ADD_KEY, FANOTIFY, MQ_OPEN = 321, 298, 323, 425, 248, 300, 240
MSGGET, SHMGET, SEMGET, QUOTACTL, MODULE, SETHOSTNAME = 68, 29, 64, 179, 175, 170
IPC_PRIVATE, TIOCSTI = 0, 0x5412


@attack
def mount_tmpfs(target: Target) -> None:
    syscall(MOUNT, b"none", os.fsencode(target.mine), b"tmpfs", 0, None)


@attack
def bind_mount(target: Target) -> None:
    syscall(MOUNT, os.fsencode(target.out), os.fsencode(target.mine), None, 4096, None)


@attack
def remount_writable(_: Target) -> None:
    """Remount the file system writable."""
    syscall(MOUNT, None, b"/", None, 4096 | 32, None)


@attack
def unmount_hidden_directory(target: Target) -> None:
    syscall(166, os.fsencode(target.mine.parent), 2)


@attack
def clone_mount(target: Target) -> None:
    syscall(OPEN_TREE, -100, os.fsencode(target.mine), 1)


@attack
def mount_namespace(_: Target) -> None:
    syscall(UNSHARE, NEW_MOUNTS)


@attack
def user_namespace(_: Target) -> None:
    syscall(UNSHARE, NEW_USERS)


@attack
def child_in_user_namespace(_: Target) -> None:
    if syscall(CLONE, NEW_USERS | 17, 0, 0, 0, 0) == 0:
        os._exit(0)


@attack
def enter_runner_namespace(target: Target) -> None:
    syscall(SETNS, os.open(f"/proc/{target.runner}/ns/mnt", os.O_RDONLY), 0)


@attack
def change_root(target: Target) -> None:
    syscall(CHROOT, os.fsencode(target.mine))


@attack
def bpf_program(_: Target) -> None:
    syscall(BPF, 0, struct.pack("IIII", 2, 4, 4, 1), 16)


@attack
def performance_counters(_: Target) -> None:
    syscall(PERF, struct.pack("IIQ", 1, 64, 0) + bytes(48), 0, -1, -1, 0)


@attack
def user_page_faults(_: Target) -> None:
    syscall(USERFAULTFD, 1)


@attack
def io_uring(_: Target) -> None:
    syscall(IO_URING, 4, ctypes.create_string_buffer(120))


@attack
def session_key(_: Target) -> None:
    syscall(ADD_KEY, b"user", b"pwn", b"x", 1, -3)


@attack
def fanotify_watch(_: Target) -> None:
    syscall(FANOTIFY, 0x200, 0)


@attack
def posix_message_queue(_: Target) -> None:
    syscall(MQ_OPEN, b"satchel-attack", os.O_CREAT | os.O_RDWR, 0o600, None)


@attack
def system_v_message_queue(_: Target) -> None:
    syscall(MSGGET, IPC_PRIVATE, 0o600 | 0o1000)


@attack
def system_v_shared_memory(_: Target) -> None:
    syscall(SHMGET, IPC_PRIVATE, 4096, 0o600 | 0o1000)


@attack
def system_v_semaphores(_: Target) -> None:
    syscall(SEMGET, IPC_PRIVATE, 1, 0o600 | 0o1000)


@attack
def host_name(_: Target) -> None:
    name = os.uname().nodename.encode()
    syscall(SETHOSTNAME, name, len(name))


@attack
def terminal_input_injection(_: Target) -> None:
    primary, secondary = os.openpty()
    fcntl.ioctl(secondary, TIOCSTI, b"x")
    os.close(primary)


@attack
def x32_system_call(target: Target) -> None:
    """Use the second numbering of system calls on x86_64, which a filter can overlook."""
    syscall(0x40000000 | 257, -100, os.fsencode(target.new), os.O_CREAT | os.O_WRONLY, 0o600)


@attack
def change_user_id(_: Target) -> None:
    require(success=LIBC.setuid(65534) == 0 and os.geteuid() == 65534)
