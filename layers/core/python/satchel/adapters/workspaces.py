"""Manages the users' workspaces on this machine (``/tmp/{username}/``). One call at a time uses a workspace."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from satchel.adapters.tree_removal import empty_directory, remove_tree
from satchel.contract.errors import ToolFailed
from satchel.domain.ids import SessionId, UserName

_MARK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_MARK_BYTES = 1 << 16
_USER_NAME: TypeAdapter[str] = TypeAdapter(UserName)


class _Mark(BaseModel):
    """State of a workspace that Satchel created: the directory's identity, and the session that used it last."""

    device: int
    inode: int
    session_id: str


class LocalWorkspaces:
    """Create, lock and empty workspaces in ``base``. Implements ``ports.tool_client.Workspaces``.

    Locks and marks are in a separate directory, so that tools can neither delete nor forge them. The locks are kernel
    file locks: they work across processes, and are released when the process that holds them ends.
    """

    def __init__(self, base: Path = Path("/tmp")) -> None:  # noqa: S108  (the contract's path)
        self._base = base
        self._marks = _marks_directory(base)

    @contextmanager
    def hold(self, user: UserName, session_id: SessionId) -> Iterator[Path]:
        """Wait until the user's workspace is free, then lock and yield it. Empty it if another session used it last.

        Raise ToolFailed, and leave the directory unchanged, if Satchel did not create it.
        """
        workspace = self._base / _USER_NAME.validate_python(user)
        with self._locked(user) as file:
            mark, status = _read(file), _status(workspace)
            if status is None:
                workspace.mkdir(mode=0o700)
                status = workspace.lstat()
            elif mark is not None and _is_own_directory(status):
                # A tool can replace the workspace with another directory. Empty and use this directory, because
                # refusing it would lock the user out.
                if not _is_marked(status, mark) or mark.session_id != session_id:
                    empty_directory(workspace)
                    status = workspace.lstat()
            else:
                raise ToolFailed(
                    f"{workspace} was not created by Satchel, so Satchel does not use it",
                    suggestion="Move this directory away, or run Satchel as a separate system user",
                )
            if (new_mark := _mark(status, session_id)) != mark:
                _write(file, new_mark.model_dump_json())
            yield workspace

    def end_session(self, user: UserName, session_id: SessionId) -> None:
        """Empty the user's workspace if this session used it last. Do nothing if a call is using the workspace."""
        workspace = self._base / _USER_NAME.validate_python(user)
        with suppress(BlockingIOError), self._locked(user, fcntl.LOCK_EX | fcntl.LOCK_NB) as file:
            mark = _read(file)
            if mark is not None and mark.session_id == session_id and _is_marked(_status(workspace), mark):
                empty_directory(workspace)

    def remove(self, user: UserName) -> None:
        """Remove the directory if Satchel created it. Raise BlockingIOError if a call is using the workspace."""
        workspace = self._base / _USER_NAME.validate_python(user)
        with self._locked(user, fcntl.LOCK_EX | fcntl.LOCK_NB) as file:
            if _is_marked(_status(workspace), _read(file)):
                remove_tree(workspace)
            _write(file, "")

    @contextmanager
    def _locked(self, user: UserName, operation: int = fcntl.LOCK_EX) -> Iterator[FileIO]:
        status = _status(self._marks)
        if status is None:
            self._marks.mkdir(mode=0o700, exist_ok=True)
            status = self._marks.lstat()
        if not _is_own_directory(status):
            raise ToolFailed(f"{self._marks} is not a directory of this system user, so no workspace can be created")
        # Without a buffer, opening and reading the file takes a third of the time.
        with open(os.open(self._marks / user, _MARK_FLAGS, 0o600), "r+b", buffering=0) as file:  # noqa: PTH123  (a descriptor)
            _lock(file, operation)
            yield file


def is_workspace(path: Path) -> bool:
    """Return True if a path is or was a workspace: each workspace has a mark file, which is never deleted."""
    return os.path.lexists(_marks_directory(path.parent) / path.name)


def _marks_directory(base: Path) -> Path:
    return base / f".satchel-{os.geteuid()}"


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _is_own_directory(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def _is_marked(status: os.stat_result | None, mark: _Mark | None) -> bool:
    return (
        status is not None
        and _is_own_directory(status)
        and mark is not None
        and (status.st_dev, status.st_ino) == (mark.device, mark.inode)
    )


def _read(file: FileIO) -> _Mark | None:
    try:
        return _Mark.model_validate_json(os.pread(file.fileno(), _MAX_MARK_BYTES, 0))
    except ValidationError:
        return None


def _mark(status: os.stat_result, session_id: SessionId) -> _Mark:
    return _Mark(device=status.st_dev, inode=status.st_ino, session_id=session_id)


def _write(file: FileIO, text: str) -> None:
    """Replace the content. Spaces cover a longer content, because a filter of system calls may refuse ftruncate."""
    file.seek(0)
    file.write(text.encode().ljust(os.fstat(file.fileno()).st_size))


def _lock(file: FileIO, operation: int) -> None:
    try:
        fcntl.flock(file, operation)
    except OSError as error:
        if error.errno not in {errno.ENOSYS, errno.EPERM}:
            raise
        # A filter of system calls refuses flock. A record lock excludes other processes, but no threads of this one.
        # That is enough on Lambda, where a process runs one call at a time.
        fcntl.lockf(file, operation)
