"""A view of the file system of this process's own: people's directories are empty in it, and all is read-only.

This is what hides that a file is there at all, and what keeps modes and times outside from being changed. It takes a
mount namespace, which root may make, and most systems let others make together with a user namespace.
"""

from __future__ import annotations

import os
import stat
import struct

from satchel.adapters.sandbox import syscalls

TYPE_CHECKING = False  # the module typing takes longer to import than everything here
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_NO_SUID, _NO_DEVICES, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 4096, 16384, 1 << 18
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTRIBUTE_READ_ONLY, _ATTRIBUTE_NO_SUID, _ATTRIBUTE_NO_DEVICES = 1, 2, 4


def enter(hidden: Sequence[str], kept: Iterable[str], writable: Sequence[str]) -> None:
    """Enter the view: of ``hidden`` directories only what is ``kept`` or ``writable`` is there. Raises OSError.

    The current directory is entered anew, by its name.
    """
    here = os.getcwd()
    _own_namespace()
    _mount(None, "/", None, _PRIVATE | _RECURSIVE)
    below = [path for path in kept if any(_is_below(path, place) for place in hidden) and os.path.exists(path)]
    held = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in [*_outermost(below), *writable]]
    for place in hidden:
        _mount("satchel", place, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=0755,size=1m")
    for path, fd in held:
        _put_back(path, fd)
    _set_attributes("/", _AT_RECURSIVE, add=_ATTRIBUTE_READ_ONLY | _ATTRIBUTE_NO_SUID, remove=0)
    for path in writable:
        _set_attributes(path, 0, add=_ATTRIBUTE_NO_DEVICES, remove=_ATTRIBUTE_READ_ONLY)
    os.chdir(here)


def _own_namespace() -> None:
    try:
        syscalls.call("unshare", _NEW_MOUNTS)
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        syscalls.call("unshare", _NEW_MOUNTS | _NEW_USERS)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def _put_back(path: str, fd: int) -> None:
    try:
        if not os.path.exists(path):
            _make_place(path, is_directory=stat.S_ISDIR(os.fstat(fd).st_mode))
        _mount(f"/proc/self/fd/{fd}", path, None, _BIND | _RECURSIVE)
    finally:
        os.close(fd)


def _make_place(path: str, *, is_directory: bool) -> None:
    os.makedirs(path if is_directory else os.path.dirname(path), mode=0o755, exist_ok=True)
    if not is_directory:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def _outermost(paths: Iterable[str]) -> list[str]:
    found: list[str] = []
    for path in sorted(paths):
        if not any(_is_below(path, other) for other in found):
            found.append(path)
    return found


def _is_below(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    result = syscalls.LIBC.mount(*texts[:3], flags, texts[3])
    syscalls.checked(result, f"mount on {target}")


def _set_attributes(path: str, flags: int, *, add: int, remove: int) -> None:
    fields = struct.pack("QQQQ", add, remove, 0, 0)
    syscalls.call("mount_setattr", _AT_FDCWD, os.fsencode(path), flags, fields, len(fields))
