"""Changing files and directories outside the workspace without writing to a file."""

import fcntl
import os
import struct

from .framework import Target, attack, require, syscall

FS_IOC_SETFLAGS, NO_DUMP = 0x40086602, 0x40
UTIMENSAT = 280


@attack
def move_file_out(target: Target) -> None:
    (target.mine / "moved").write_text("pwn")
    os.rename(target.mine / "moved", target.new)


@attack
def move_file_in(target: Target) -> None:
    os.rename(target.out / "canary", target.mine / "stolen")


@attack
def exchange_files(target: Target) -> None:
    (target.mine / "other").write_text("pwn")
    syscall(316, -100, os.fsencode(target.mine / "other"), -100, os.fsencode(target.out / "canary"), 2)


@attack
def remove_file(target: Target) -> None:
    (target.out / "canary").unlink()


@attack
def remove_directory(target: Target) -> None:
    (target.out / "folder").rmdir()


@attack
def create_directory(target: Target) -> None:
    (target.out / "created").mkdir()


@attack
def truncate_file(target: Target) -> None:
    os.truncate(target.out / "canary", 0)


@attack
def change_times(target: Target) -> None:
    os.utime(target.out / "canary", (1, 1))


@attack
def change_times_by_system_call(target: Target) -> None:
    before = (target.out / "canary").stat().st_mtime
    syscall(UTIMENSAT, -100, os.fsencode(target.out / "canary"), struct.pack("4q", 1, 0, 1, 0), 0)
    require(success=(target.out / "canary").stat().st_mtime != before)


@attack
def change_mode(target: Target) -> None:
    (target.out / "canary").chmod(0o777)


@attack
def change_mode_by_descriptor(target: Target) -> None:
    fd = os.open(target.out / "canary", os.O_RDONLY)
    before = os.fstat(fd).st_mode
    os.fchmod(fd, 0o777)
    require(success=os.fstat(fd).st_mode != before)


@attack
def change_mode_by_o_path_descriptor(target: Target) -> None:
    fd = os.open(target.out / "canary", os.O_PATH)
    before = os.fstat(fd).st_mode
    os.chmod(f"/proc/self/fd/{fd}", 0o777)
    require(success=os.fstat(fd).st_mode != before)


@attack
def change_mode_of_directory(target: Target) -> None:
    target.bob.chmod(0)


@attack
def change_mode_of_server_code(target: Target) -> None:
    del target
    place = os.path.dirname(os.path.abspath(__file__))
    before = os.stat(place).st_mode
    os.chmod(place, 0o777)
    after = os.stat(place).st_mode
    os.chmod(place, before & 0o7777)
    require(success=before != after)


@attack
def change_owner(target: Target) -> None:
    os.chown(target.out / "canary", os.geteuid(), os.getegid())


@attack
def set_extended_attribute(target: Target) -> None:
    os.setxattr(target.out / "canary", "user.pwn", b"x")


@attack
def set_file_flags(target: Target) -> None:
    fcntl.ioctl(os.open(target.out / "canary", os.O_RDONLY), FS_IOC_SETFLAGS, struct.pack("i", NO_DUMP))


@attack
def create_fifo(target: Target) -> None:
    os.mkfifo(target.new)


@attack
def create_node(target: Target) -> None:
    os.mknod(target.new)


@attack
def create_device(target: Target) -> None:
    os.mknod(target.mine / "memory", 0o020600, os.makedev(1, 1))


@attack
def create_symlink(target: Target) -> None:
    (target.new).symlink_to("/etc/passwd")


@attack
def create_hard_link(target: Target) -> None:
    (target.mine / "linked").write_text("pwn")
    os.link(target.mine / "linked", target.new)
