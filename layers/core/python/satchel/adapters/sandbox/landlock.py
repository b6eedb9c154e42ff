"""Limits the file access of this process and its descendants to given paths, with Landlock (Linux 5.13 and newer).

The ruleset denies all access that Landlock controls on the running kernel, except the rights granted for a path.
Landlock does not control stat, chmod, chown and utime, so the modules ``mounts`` and ``seccomp`` restrict these calls.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from satchel.adapters.sandbox import syscalls

TYPE_CHECKING = False  # TYPE_CHECKING is set here because importing typing takes longer than importing this module
if TYPE_CHECKING:
    from collections.abc import Iterable

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO = 1 << 7, 1 << 8, 1 << 9, 1 << 10
_MAKE_SYM, _REFER, _TRUNCATE = 1 << 12, 1 << 13, 1 << 14

READ = EXECUTE | READ_FILE | READ_DIR
_MAKE = _MAKE_DIR | _MAKE_REG | _MAKE_SOCK | _MAKE_FIFO | _MAKE_SYM
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | _MAKE | _REFER | _TRUNCATE
DEVICE = READ_FILE | WRITE_FILE
_FILE_RIGHTS = EXECUTE | READ_FILE | WRITE_FILE | _TRUNCATE

_RIGHT_COUNTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""Maps a Landlock ABI version to the total number of file system rights that this version knows."""
_NETWORK_SINCE, _TCP = 4, 0b11
SCOPES_SINCE, _SCOPES = 6, 0b11  # deny signals and abstract socket connections to processes outside the sandbox

_VERSION = 1
_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38


def version() -> int:
    """Return the Landlock ABI version of the running kernel. Raise OSError if Landlock is not available."""
    return syscalls.call("landlock_create_ruleset", None, 0, _VERSION)


def restrict(rights: Iterable[tuple[str, int]], *, network: bool) -> None:
    """Deny this process all file access except the given ``(path, rights)`` pairs. ``network=False`` also denies TCP.

    Skip paths that do not exist. Raise OSError if the kernel rejects the ruleset.
    """
    abi = version()
    handled = _handled_files(abi)
    rules = _ruleset(abi, handled, network=network)
    try:
        for path, granted in rights:
            _allow(rules, path, granted & handled)
        syscalls.prctl(_PR_SET_NO_NEW_PRIVS, 1)
        syscalls.call("landlock_restrict_self", rules, 0)
    finally:
        os.close(rules)


def _handled_files(abi: int) -> int:
    count = max(bits for since, bits in _RIGHT_COUNTS.items() if since <= abi)
    return (1 << count) - 1


def _ruleset(abi: int, files: int, *, network: bool) -> int:
    tcp = 0 if network or abi < _NETWORK_SINCE else _TCP
    scopes = _SCOPES if abi >= SCOPES_SINCE else 0
    fields = struct.pack("QQQ", files, tcp, scopes)
    size = 24 if abi >= SCOPES_SINCE else 16 if abi >= _NETWORK_SINCE else 8
    return syscalls.call("landlock_create_ruleset", ctypes.create_string_buffer(fields), size, 0)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= _FILE_RIGHTS
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, fd))
        syscalls.call("landlock_add_rule", rules, _BENEATH, rule, 0)
    finally:
        os.close(fd)
