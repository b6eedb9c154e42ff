"""Learning what is somebody else's."""

import ctypes
import glob
import os
import select
from pathlib import Path

from .ground import LIBC, Ground, attack, syscall, wanted

NAME_TO_HANDLE_AT, OPEN_BY_HANDLE_AT = 303, 304
IN_CREATE = 0x100


@attack
def read_a_file(ground: Ground) -> str:
    return (ground.bob / "secret").read_text()


@attack
def list_a_directory(ground: Ground) -> str:
    return ",".join(os.listdir(ground.bob))


@attack
def list_those_of_all(ground: Ground) -> str:
    names = os.listdir(ground.bob.parent)
    wanted(success=ground.bob.name in names)
    return ",".join(names)


@attack
def find_by_pattern(ground: Ground) -> str:
    found = glob.glob(f"{ground.bob}/*")
    wanted(success=bool(found))
    return ",".join(found)


@attack
def ask_whether_it_is_there(ground: Ground) -> str:
    return str((ground.bob / "secret").stat())


@attack
def ask_whether_the_person_is_there(ground: Ground) -> None:
    wanted(success=os.path.lexists(ground.bob))


@attack
def ask_for_access(ground: Ground) -> None:
    wanted(success=os.access(ground.bob / "secret", os.F_OK))


@attack
def enter_the_directory(ground: Ground) -> None:
    os.chdir(ground.bob)


@attack
def read_by_a_link(ground: Ground) -> str:
    (ground.mine / "peep").symlink_to(ground.bob / "secret")
    return (ground.mine / "peep").read_text()


@attack
def watch_a_directory(ground: Ground) -> None:
    watcher = LIBC.inotify_init1(os.O_NONBLOCK)
    wanted(success=LIBC.inotify_add_watch(watcher, os.fsencode(ground.bob), IN_CREATE) >= 0)


@attack
def open_by_handle(ground: Ground) -> None:
    handle = ctypes.create_string_buffer(b"\x80\0\0\0" + bytes(140))
    mount = ctypes.c_int()
    syscall(NAME_TO_HANDLE_AT, -100, os.fsencode(ground.bob / "secret"), handle, ctypes.byref(mount), 0)


@attack
def own_environment(ground: Ground) -> str:
    del ground
    seen = Path("/proc/self/environ").read_bytes() + os.fsencode(str(dict(os.environ)))
    wanted(success=b"AWS_SECRET" in seen or b"SATCHEL_" in seen)
    return str(seen)


@attack
def the_runners_environment(ground: Ground) -> str:
    return Path(f"/proc/{ground.runner}/environ").read_text()


@attack
def the_runners_memory(ground: Ground) -> str:
    first = Path(f"/proc/{ground.runner}/maps").read_text().split("-")[0]
    with open(f"/proc/{ground.runner}/mem", "rb") as memory:
        memory.seek(int(first, 16))
        return str(memory.read(16))


@attack
def the_runners_files(ground: Ground) -> str:
    fds = os.listdir(f"/proc/{ground.runner}/fd")
    return str([os.readlink(f"/proc/{ground.runner}/fd/{fd}") for fd in fds])


@attack
def the_runners_directory(ground: Ground) -> str:
    return os.readlink(f"/proc/{ground.runner}/cwd")


@attack
def what_others_run(ground: Ground) -> str:
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.parent.name != str(os.getpid())]
    wanted(success=bool(lines))
    del ground
    return str(lines)


@attack
def what_the_runner_runs(ground: Ground) -> str:
    return Path(f"/proc/{ground.runner}/cmdline").read_text()


@attack
def passwords(_: Ground) -> str:
    return Path("/etc/shadow").read_text()


@attack
def homes(_: Ground) -> str:
    return str(os.listdir("/root") + os.listdir("/home"))


@attack
def the_disk_itself(_: Ground) -> str:
    disk = next(Path("/dev").glob("[vsn][dv][am]*"))
    with disk.open("rb") as file:
        return str(file.read(16))


@attack
def inherited_descriptors(ground: Ground) -> str:
    for fd in range(3, 256):
        try:
            place = os.readlink(f"/proc/self/fd/{fd}")
        except OSError:
            continue
        if place.startswith("/") and not place.startswith((str(ground.mine), "/dev/", "/proc/")):
            return place
    raise OSError("there is none")


@attack
def terminal_input(_: Ground) -> None:
    ready, _writable, _failed = select.select([0], [], [], 0)
    wanted(success=os.isatty(0) and bool(ready))
