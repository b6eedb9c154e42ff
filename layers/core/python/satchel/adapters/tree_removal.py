"""Removes trees that tools left, even if permissions are missing or a tree is too deep for ``shutil.rmtree``.

No operation resolves a path: each one names an entry of an open directory, so symbolic links are not followed.
Subdirectories are moved to the top level instead of being entered recursively, so the depth is unlimited.
"""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(directory: Path) -> None:
    """Remove a directory of this process's user and its contents, if it exists. Raise OSError on failure."""
    with suppress(FileNotFoundError):
        empty_directory(directory)
        directory.rmdir()


def empty_directory(directory: Path) -> None:
    """Remove the contents of a directory. Raise OSError if the directory is a link or an entry cannot be removed."""
    numbers = itertools.count()
    with _open(str(directory)) as top:
        while names := _names(top):
            for name in names:
                if not _unlink(name, top):
                    _remove_directory(name, top, numbers)


def _remove_directory(name: str, top: int, numbers: Iterator[int]) -> None:
    with _open(name, top) as directory:
        for child in _names(directory):
            if not _unlink(child, directory):
                _move_up(child, directory, top, numbers)
    os.rmdir(name, dir_fd=top)


def _move_up(child: str, directory: int, top: int, numbers: Iterator[int]) -> None:
    with _open(child, directory):  # moving a directory requires write permission on it, which ``_open`` grants
        for number in numbers:
            if not _exists(str(number), top):
                os.rename(child, str(number), src_dir_fd=directory, dst_dir_fd=top)
                return


def _exists(name: str, directory: int) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _names(directory: int) -> list[str]:
    return [entry.name for entry in Path(f"/proc/self/fd/{directory}").iterdir()]


def _unlink(name: str, directory: int) -> bool:
    """Remove an entry and return True, or return False if the entry is a directory."""
    try:
        os.unlink(name, dir_fd=directory)
    except IsADirectoryError:
        return False
    return True


@contextmanager
def _open(name: str, directory: int | None = None) -> Iterator[int]:
    """Yield a descriptor of a directory, after giving its owner (the user of this process) all permissions."""
    fd = os.open(name, _DIRECTORY, dir_fd=directory)
    try:
        with suppress(OSError):  # if the machine refuses chmod, a directory that is not writable stays
            Path(f"/proc/self/fd/{fd}").chmod(0o700)
        yield fd
    finally:
        os.close(fd)
