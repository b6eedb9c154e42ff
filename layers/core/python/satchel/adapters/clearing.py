"""Removing what foreign code left behind: ``shutil.rmtree`` fails at a directory without permissions or 1,000 deep.

No path is followed: every step names one entry of a directory that is held open. Directories below the first level are
moved up to it instead of being entered, so no depth is too deep.
"""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(directory: Path) -> None:
    """Remove a directory of ours with all that is in it; not there is fine. Raises OSError if something resists."""
    with suppress(FileNotFoundError):
        empty_directory(directory)
        directory.rmdir()


def empty_directory(directory: Path) -> None:
    """Remove all that is in a directory of ours. Raises OSError if it is none, is a link, or something resists."""
    numbers = itertools.count()
    with _opened(str(directory)) as top:
        while names := _names(top):
            for name in names:
                if not _unlink(name, top):
                    _dismantle(name, top, numbers)


def _dismantle(name: str, top: int, numbers: Iterator[int]) -> None:
    with _opened(name, top) as directory:
        for child in _names(directory):
            if not _unlink(child, directory):
                _move_up(child, directory, top, numbers)
    os.rmdir(name, dir_fd=top)


def _move_up(child: str, directory: int, top: int, numbers: Iterator[int]) -> None:
    with _opened(child, directory):  # moving a directory needs the right to write in it
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
    """Remove anything but a directory; tell whether it is gone."""
    try:
        os.unlink(name, dir_fd=directory)
    except IsADirectoryError:
        return False
    return True


@contextmanager
def _opened(name: str, directory: int | None = None) -> Iterator[int]:
    """Hold a directory open and see to it that its owner, who we are, may do everything in it."""
    fd = os.open(name, _DIRECTORY, dir_fd=directory)
    try:
        Path(f"/proc/self/fd/{fd}").chmod(0o700)
        yield fd
    finally:
        os.close(fd)
