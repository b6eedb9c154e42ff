"""``/tmp/{username}/``: a person's corner of this machine, ours alone, in the hands of one call at a time."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from pydantic import BaseModel, TypeAdapter, ValidationError

from satchel.adapters.clearing import empty_directory, remove_tree
from satchel.contract.errors import ToolFailed
from satchel.domain.ids import UserName

_MARK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_USER_NAME: TypeAdapter[str] = TypeAdapter(UserName)


class _Mark(BaseModel):
    """How a corner of ours is known again, and whose session left it."""

    device: int
    inode: int
    session_id: str


class LocalUserArea:
    """Implements ``ports.tool_client.UserArea`` below ``base``.

    Locks and marks lie beside the corners, in a directory of our own, so that a tool can neither lose nor forge a mark.
    The lock is the kernel's: it holds between processes, and ends with the process that had it.
    """

    def __init__(self, base: Path = Path("/tmp")) -> None:  # noqa: S108  (the contract's path)
        self._base = base
        self._marks = _marks(base)

    @contextmanager
    def hold(self, user: str, session_id: str) -> Iterator[Path]:
        """Wait for the corner, make it (or clear it when another session left it) and yield it.

        Raises ToolFailed when there is something in its place that is not ours; that is left as it is.
        """
        home = self._base / _USER_NAME.validate_python(user)
        with self._locked(user) as file:
            mark = _read(file)
            if not _exists(home):
                home.mkdir(mode=0o700)
            elif mark is not None and _is_own_directory(home):
                # Ours, or made anew by a tool in the place of ours; a person must not be locked out by that.
                if not _is_ours(home, mark) or mark.session_id != session_id:
                    empty_directory(home)
            else:
                raise ToolFailed(
                    f"{home} was not made by Satchel, so it is not used",
                    suggestion="Move it away, or run Satchel as a user of its own",
                )
            if (kept := _mark(home, session_id)) != mark:
                _write(file, kept)
            yield home

    def leave(self, user: str, session_id: str) -> None:
        """Empty the corner, if it is ours and this session left it; whoever holds it now sees to it himself."""
        home = self._base / _USER_NAME.validate_python(user)
        with suppress(BlockingIOError), self._locked(user, fcntl.LOCK_EX | fcntl.LOCK_NB) as file:
            mark = _read(file)
            if mark is not None and mark.session_id == session_id and _exists(home) and _is_ours(home, mark):
                empty_directory(home)

    def remove(self, user: str) -> None:
        """Remove the corner of a person, if it is ours, once nobody holds it."""
        home = self._base / _USER_NAME.validate_python(user)
        with self._locked(user) as file:
            if _exists(home) and _is_ours(home, _read(file)):
                remove_tree(home)
            file.seek(0)
            file.truncate()

    @contextmanager
    def _locked(self, user: str, how: int = fcntl.LOCK_EX) -> Iterator[TextIO]:
        self._marks.mkdir(mode=0o700, exist_ok=True)
        if not _is_own_directory(self._marks):
            raise ToolFailed(f"{self._marks} belongs to somebody else, so no corner can be made")
        with os.fdopen(os.open(self._marks / user, _MARK_FLAGS, 0o600), "r+", encoding="utf-8") as file:
            fcntl.flock(file, how)
            yield file


def is_corner(path: Path) -> bool:
    """Tell whether a path is somebody's corner, or was: its mark is there before it is, and stays."""
    return _exists(_marks(path.parent) / path.name)


def _marks(base: Path) -> Path:
    return base / f".satchel-{os.geteuid()}"


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _is_own_directory(path: Path) -> bool:
    found = path.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _is_ours(home: Path, mark: _Mark | None) -> bool:
    found = home.lstat()
    return _is_own_directory(home) and mark is not None and (found.st_dev, found.st_ino) == (mark.device, mark.inode)


def _read(file: TextIO) -> _Mark | None:
    file.seek(0)
    try:
        return _Mark.model_validate_json(file.read())
    except ValidationError:
        return None


def _mark(home: Path, session_id: str) -> _Mark:
    found = home.lstat()
    return _Mark(device=found.st_dev, inode=found.st_ino, session_id=session_id)


def _write(file: TextIO, mark: _Mark) -> None:
    file.seek(0)
    file.truncate()
    file.write(mark.model_dump_json())
    file.flush()
