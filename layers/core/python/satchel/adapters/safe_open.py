"""Opening what a tool says it wrote: a regular file of ours inside the person's directory, and no trick of any kind."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from satchel.contract.errors import FileTooLarge, InvalidArtifact, InvalidPath, ToolError

_STEP = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LAST = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC  # a FIFO would hang without NONBLOCK


@contextmanager
def open_artifact(path: str, home: Path, most: int) -> Iterator[IO[bytes]]:
    """Open a regular file inside ``home`` of at most ``most`` bytes; a relative ``path`` is relative to ``home``.

    The path is walked step by step, each by the directory opened before, and no link is followed at any step.
    Raises InvalidPath (outside, through a link, no regular file, more than one name, another owner), FileTooLarge,
    InvalidArtifact (not there).
    """
    fd = _open(path, home)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != os.geteuid():
            raise _invalid(path, home)
        if found.st_size > most:
            raise FileTooLarge(file_size_bytes=found.st_size, current_limit_bytes=most)
        with os.fdopen(fd, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(fd)


def _open(path: str, home: Path) -> int:
    *folders, name = _steps(path, home)
    directory = os.open(home, _STEP)
    try:
        for folder in folders:
            inner = os.open(folder, _STEP, dir_fd=directory)
            os.close(directory)
            directory = inner
        return os.open(name, _LAST, dir_fd=directory)
    except FileNotFoundError:
        raise InvalidArtifact(name=path, problem="there is no such file") from None
    except OSError as error:
        raise _invalid(path, home) from error
    finally:
        os.close(directory)


def _steps(path: str, home: Path) -> tuple[str, ...]:
    """Return the path below ``home``, one name a step. ``..`` is taken by its text, which is right where no link is."""
    if "\0" in path:
        raise _invalid(path, home)
    whole = Path(os.path.normpath(home / path))
    if whole == home or not whole.is_relative_to(home):
        raise _invalid(path, home)
    return whole.relative_to(home).parts


def _invalid(path: str, home: Path) -> ToolError:
    return InvalidPath(attempted_path=path.replace("\0", "\\0"), allowed_prefix=f"{home}/")
