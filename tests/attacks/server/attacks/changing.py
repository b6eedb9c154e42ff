"""Changing what is outside without writing into a file."""

import fcntl
import os
import struct

from .ground import Ground, attack, syscall, wanted

FS_IOC_SETFLAGS, NO_DUMP = 0x40086602, 0x40
UTIMENSAT = 280


@attack
def move_out(ground: Ground) -> None:
    (ground.mine / "moved").write_text("pwn")
    os.rename(ground.mine / "moved", ground.new)


@attack
def move_in(ground: Ground) -> None:
    os.rename(ground.out / "canary", ground.mine / "stolen")


@attack
def exchange(ground: Ground) -> None:
    (ground.mine / "other").write_text("pwn")
    syscall(316, -100, os.fsencode(ground.mine / "other"), -100, os.fsencode(ground.out / "canary"), 2)


@attack
def remove(ground: Ground) -> None:
    (ground.out / "canary").unlink()


@attack
def remove_directory(ground: Ground) -> None:
    (ground.out / "folder").rmdir()


@attack
def make_directory(ground: Ground) -> None:
    (ground.out / "made").mkdir()


@attack
def truncate(ground: Ground) -> None:
    os.truncate(ground.out / "canary", 0)


@attack
def change_times(ground: Ground) -> None:
    os.utime(ground.out / "canary", (1, 1))


@attack
def change_times_by_number(ground: Ground) -> None:
    before = (ground.out / "canary").stat().st_mtime
    syscall(UTIMENSAT, -100, os.fsencode(ground.out / "canary"), struct.pack("4q", 1, 0, 1, 0), 0)
    wanted(success=(ground.out / "canary").stat().st_mtime != before)


@attack
def change_mode(ground: Ground) -> None:
    (ground.out / "canary").chmod(0o777)


@attack
def change_mode_by_descriptor(ground: Ground) -> None:
    fd = os.open(ground.out / "canary", os.O_RDONLY)
    before = os.fstat(fd).st_mode
    os.fchmod(fd, 0o777)
    wanted(success=os.fstat(fd).st_mode != before)


@attack
def change_mode_by_looking(ground: Ground) -> None:
    fd = os.open(ground.out / "canary", os.O_PATH)
    before = os.fstat(fd).st_mode
    os.chmod(f"/proc/self/fd/{fd}", 0o777)
    wanted(success=os.fstat(fd).st_mode != before)


@attack
def change_mode_of_a_directory(ground: Ground) -> None:
    ground.bob.chmod(0)


@attack
def change_mode_of_the_server(ground: Ground) -> None:
    del ground
    place = os.path.dirname(os.path.abspath(__file__))
    before = os.stat(place).st_mode
    os.chmod(place, 0o777)
    after = os.stat(place).st_mode
    os.chmod(place, before & 0o7777)
    wanted(success=before != after)


@attack
def change_owner(ground: Ground) -> None:
    os.chown(ground.out / "canary", os.geteuid(), os.getegid())


@attack
def set_attribute(ground: Ground) -> None:
    os.setxattr(ground.out / "canary", "user.pwn", b"x")


@attack
def set_flags(ground: Ground) -> None:
    fcntl.ioctl(os.open(ground.out / "canary", os.O_RDONLY), FS_IOC_SETFLAGS, struct.pack("i", NO_DUMP))


@attack
def make_pipe(ground: Ground) -> None:
    os.mkfifo(ground.new)


@attack
def make_node(ground: Ground) -> None:
    os.mknod(ground.new)


@attack
def make_device(ground: Ground) -> None:
    os.mknod(ground.mine / "memory", 0o020600, os.makedev(1, 1))


@attack
def make_link(ground: Ground) -> None:
    (ground.new).symlink_to("/etc/passwd")


@attack
def give_second_name(ground: Ground) -> None:
    (ground.mine / "given").write_text("pwn")
    os.link(ground.mine / "given", ground.new)
