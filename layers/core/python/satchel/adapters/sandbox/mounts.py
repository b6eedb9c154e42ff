"""Mount namespace of a server: private directories look empty, and everything outside the workspace is read-only.

Only this sandbox layer hides the existence of files. It also protects file modes and times outside the workspace. Root
can create a mount namespace. On most systems, other users can create a mount namespace inside a new user namespace.
"""

from __future__ import annotations

import os
import stat
import struct

from satchel.adapters.sandbox import syscalls

TYPE_CHECKING = False  # TYPE_CHECKING is set here because importing typing takes longer than importing this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_NO_SUID, _NO_DEVICES, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 4096, 16384, 1 << 18
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTRIBUTE_READ_ONLY, _ATTRIBUTE_NO_SUID, _ATTRIBUTE_NO_DEVICES = 1, 2, 4


def enter(hidden: Sequence[str], readable: Iterable[str], writable: Sequence[str]) -> None:
    """Move this process into a new mount namespace. Raise OSError if the kernel does not allow that.

    ``hidden`` directories then contain only their ``readable`` and ``writable`` paths. Enter the current directory
    again by its path, because the process would otherwise stay in the old mounts.
    """
    cwd = os.getcwd()
    _new_namespace()
    _mount(None, "/", None, _PRIVATE | _RECURSIVE)
    visible = [path for path in readable if any(_is_below(path, top) for top in hidden) and os.path.exists(path)]
    opened = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in [*_outermost(visible), *writable]]
    for directory in hidden:
        _mount("satchel", directory, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=0755,size=1m")
    for path, fd in opened:
        _restore(path, fd)
    _set_attributes("/", _AT_RECURSIVE, add=_ATTRIBUTE_READ_ONLY | _ATTRIBUTE_NO_SUID, remove=0)
    for path in writable:
        _set_attributes(path, 0, add=_ATTRIBUTE_NO_DEVICES, remove=_ATTRIBUTE_READ_ONLY)
    os.chdir(cwd)


def _new_namespace() -> None:
    try:
        syscalls.call("unshare", _NEW_MOUNTS)
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        syscalls.call("unshare", _NEW_MOUNTS | _NEW_USERS)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def _restore(path: str, fd: int) -> None:
    try:
        if not os.path.exists(path):
            _create_mount_point(path, is_directory=stat.S_ISDIR(os.fstat(fd).st_mode))
        _mount(f"/proc/self/fd/{fd}", path, None, _BIND | _RECURSIVE)
    finally:
        os.close(fd)


def _create_mount_point(path: str, *, is_directory: bool) -> None:
    os.makedirs(path if is_directory else os.path.dirname(path), mode=0o755, exist_ok=True)
    if not is_directory:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def _outermost(paths: Iterable[str]) -> list[str]:
    outermost: list[str] = []
    for path in sorted(paths):
        if not any(_is_below(path, other) for other in outermost):
            outermost.append(path)
    return outermost


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(f"{directory}/")


def _mount(source: str | None, target: str, filesystem: str | None, flags: int, data: str | None = None) -> None:
    arguments = [None if text is None else os.fsencode(text) for text in (source, target, filesystem, data)]
    result = syscalls.LIBC.mount(*arguments[:3], flags, arguments[3])
    syscalls.checked(result, f"mount on {target}")


def _set_attributes(path: str, flags: int, *, add: int, remove: int) -> None:
    fields = struct.pack("QQQQ", add, remove, 0, 0)
    syscalls.call("mount_setattr", _AT_FDCWD, os.fsencode(path), flags, fields, len(fields))
