"""Reading data of other users and of the runner, or finding out that it exists."""

import ctypes
import glob
import os
import select
from pathlib import Path

from .framework import LIBC, Target, attack, require, syscall

NAME_TO_HANDLE_AT, OPEN_BY_HANDLE_AT = 303, 304
IN_CREATE = 0x100


@attack
def read_file(target: Target) -> str:
    return (target.bob / "secret").read_text()


@attack
def list_directory(target: Target) -> str:
    return ",".join(os.listdir(target.bob))


@attack
def list_all_workspaces(target: Target) -> str:
    names = os.listdir(target.bob.parent)
    require(success=target.bob.name in names)
    return ",".join(names)


@attack
def glob_pattern(target: Target) -> str:
    paths = glob.glob(f"{target.bob}/*")
    require(success=bool(paths))
    return ",".join(paths)


@attack
def stat_file(target: Target) -> str:
    return str((target.bob / "secret").stat())


@attack
def check_workspace_exists(target: Target) -> None:
    require(success=os.path.lexists(target.bob))


@attack
def check_access(target: Target) -> None:
    require(success=os.access(target.bob / "secret", os.F_OK))


@attack
def enter_directory(target: Target) -> None:
    os.chdir(target.bob)


@attack
def read_through_symlink(target: Target) -> str:
    (target.mine / "peep").symlink_to(target.bob / "secret")
    return (target.mine / "peep").read_text()


@attack
def watch_directory(target: Target) -> None:
    watcher = LIBC.inotify_init1(os.O_NONBLOCK)
    require(success=LIBC.inotify_add_watch(watcher, os.fsencode(target.bob), IN_CREATE) >= 0)


@attack
def open_by_handle(target: Target) -> None:
    handle = ctypes.create_string_buffer(b"\x80\0\0\0" + bytes(140))
    mount = ctypes.c_int()
    syscall(NAME_TO_HANDLE_AT, -100, os.fsencode(target.bob / "secret"), handle, ctypes.byref(mount), 0)


@attack
def own_environment(target: Target) -> str:
    del target
    seen = Path("/proc/self/environ").read_bytes() + os.fsencode(str(dict(os.environ)))
    seen = seen.replace(b"SATCHEL_WORKSPACE", b"")  # every server gets the path of its own workspace
    require(success=b"AWS_SECRET" in seen or b"SATCHEL_" in seen)
    return str(seen)


@attack
def runner_environment(target: Target) -> str:
    return Path(f"/proc/{target.runner}/environ").read_text()


@attack
def runner_memory(target: Target) -> str:
    first = Path(f"/proc/{target.runner}/maps").read_text().split("-")[0]
    with open(f"/proc/{target.runner}/mem", "rb") as memory:
        memory.seek(int(first, 16))
        return str(memory.read(16))


@attack
def runner_open_files(target: Target) -> str:
    fds = os.listdir(f"/proc/{target.runner}/fd")
    return str([os.readlink(f"/proc/{target.runner}/fd/{fd}") for fd in fds])


@attack
def runner_working_directory(target: Target) -> str:
    return os.readlink(f"/proc/{target.runner}/cwd")


@attack
def command_lines_of_others(target: Target) -> str:
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.parent.name != str(os.getpid())]
    require(success=bool(lines))
    del target
    return str(lines)


@attack
def runner_command_line(target: Target) -> str:
    return Path(f"/proc/{target.runner}/cmdline").read_text()


@attack
def password_file(_: Target) -> str:
    return Path("/etc/shadow").read_text()


@attack
def home_directories(_: Target) -> str:
    return str(os.listdir("/root") + os.listdir("/home"))


@attack
def disk_device(_: Target) -> str:
    disk = next(Path("/dev").glob("[vsn][dv][am]*"))
    with disk.open("rb") as file:
        return str(file.read(16))


@attack
def inherited_descriptors(target: Target) -> str:
    for fd in range(3, 256):
        try:
            place = os.readlink(f"/proc/self/fd/{fd}")
        except OSError:
            continue
        if place.startswith("/") and not place.startswith((str(target.mine), "/dev/", "/proc/")):
            return place
    raise OSError("no descriptor was inherited")


@attack
def terminal_input(_: Target) -> None:
    ready, _writable, _failed = select.select([0], [], [], 0)
    require(success=os.isatty(0) and bool(ready))
