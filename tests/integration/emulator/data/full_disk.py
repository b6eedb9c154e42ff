"""A disk that becomes full: writes to files below a folder fail with ENOSPC from a chosen write on.

SQLite's writes fail in the system call itself, which SQLite lets tests replace (``sqlite3_vfs.xSetSystemCall``).
Python's writes fail in the lowest layer of its files.
"""

import ctypes
import ctypes.util
import errno
import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_CALLS = ("write", "pwrite", "pwrite64")
_POINTER, _TEXT = ctypes.c_void_p, ctypes.c_char_p
_SetSystemCall = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _TEXT, _POINTER)
_Write = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int, _POINTER, ctypes.c_size_t, use_errno=True)
_PositionedWrite = ctypes.CFUNCTYPE(
    ctypes.c_ssize_t, ctypes.c_int, _POINTER, ctypes.c_size_t, ctypes.c_int64, use_errno=True
)


class _FileSystem(ctypes.Structure):
    """The head of SQLite's ``sqlite3_vfs``, version 3."""

    _fields_ = [
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("max_path", ctypes.c_int),
        ("next", _POINTER),
        ("name", _TEXT),
        ("data", _POINTER),
        ("methods", _POINTER * 13),
        ("set_system_call", _SetSystemCall),
    ]


class FullDisk:
    """Refuses writes below ``folder``. ``was_full`` is True if it has refused any since ``fill``."""

    def __init__(self, folder: Path) -> None:
        self._folder = f"{folder.resolve()}/"
        self._lock = threading.Lock()
        self._remaining: int | None = None
        self.was_full = False

    def fill(self, after: int = 0) -> None:
        """Refuse all writes after the next ``after`` ones."""
        with self._lock:
            self._remaining, self.was_full = after, False

    def free(self) -> None:
        """Refuse no writes."""
        with self._lock:
            self._remaining = None

    def refuses(self, descriptor: int) -> bool:
        """Count a write to an open file. Return True if it must fail."""
        name = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        with self._lock:
            if self._remaining is None or not name.startswith(self._folder):
                return False
            if self._remaining:
                self._remaining -= 1
                return False
            self.was_full = True
            return True


@contextmanager
def full_disk(folder: Path) -> Iterator[FullDisk]:
    """Install the disk for SQLite and for Python. It is not full at first."""
    disk = FullDisk(folder)
    with _sqlite_writes(disk), pytest.MonkeyPatch.context() as patch:
        patch.setattr(io, "open", _opener(disk, io.open))
        yield disk


@contextmanager
def _sqlite_writes(disk: FullDisk) -> Iterator[None]:
    name = ctypes.util.find_library("sqlite3")
    if name is None or name not in Path("/proc/self/maps").read_text(encoding="utf-8"):
        pytest.skip("this Python has an SQLite of its own, whose system calls a test cannot replace")
    library = ctypes.CDLL(name)
    library.sqlite3_vfs_find.restype = ctypes.POINTER(_FileSystem)
    system = library.sqlite3_vfs_find(None)
    replaced = {name: _replacement(disk, name) for name in _CALLS}
    for each, call in replaced.items():
        system.contents.set_system_call(system, each.encode(), ctypes.cast(call, _POINTER))
    try:
        yield
    finally:
        for each in replaced:
            system.contents.set_system_call(system, each.encode(), None)


def _replacement(disk: FullDisk, name: str) -> Any:  # noqa: ANN401  (a function of C)
    kind = _Write if name == "write" else _PositionedWrite
    original = kind((name, ctypes.CDLL(None, use_errno=True)))

    def write(descriptor: int, *arguments: int) -> int:
        if disk.refuses(descriptor):
            ctypes.set_errno(errno.ENOSPC)
            return -1
        return int(original(descriptor, *arguments))

    return kind(write)


def _opener(disk: FullDisk, original: Callable[..., Any]) -> Callable[..., Any]:
    class File(io.FileIO):
        def write(self, content: Any, /) -> int:  # noqa: ANN401  (a buffer)
            if disk.refuses(self.fileno()):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return super().write(content) or 0

    def open_file(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:  # noqa: ANN401  (as io.open)
        if "b" in mode and set(mode) & set("wxa+"):
            raw = File(file, mode.replace("b", ""), opener=named.get("opener"))
            return io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return original(file, mode, *arguments, **named)

    return open_file
