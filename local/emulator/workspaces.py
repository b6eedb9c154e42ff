"""Directories that exist while the emulator runs: users' workspaces under ``/tmp``, logs and temporary files."""

import fcntl
import os
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from satchel.adapters.tree_removal import remove_tree
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.contract.errors import ToolError
from satchel.domain.ids import UserName

_MAX_LOCKED_SECONDS = 1.0  # limits the wait for workspaces that tools of other emulators have locked
_PAUSE_SECONDS = 0.05
_PREFIX = "satchel-run-"
_HIDDEN_PREFIX = ".satchel-run-"
_KEEP_LOGS_SECONDS = 7 * 24 * 3600.0  # how long to keep a killed emulator's logs, which may explain its end


class Workspaces:
    """Remembers which users' workspaces the emulator's tools use. Removes them when the emulator stops. Thread-safe.

    The folder ``record`` contains a file named after each user. If the emulator is killed, the next emulator reads the
    names of these files and removes the workspaces.
    """

    def __init__(self, record: Path) -> None:
        self._record = record
        self._users: set[UserName] = set()
        self._lock = threading.Lock()

    def add(self, user: UserName) -> None:
        """Remember that a tool uses this user's workspace, so that ``remove_all`` removes it."""
        with self._lock:
            if user not in self._users:
                (self._record / user).touch()
                self._users.add(user)

    def remove_all(self) -> list[str]:
        """Remove the workspaces and return the users whose workspace could not be removed.

        Call this after all runners have ended. Workspaces that another process still locks after a second are skipped.
        """
        with self._lock:
            users, self._users = self._users, set()
        return _remove_workspaces(users, self._record)


def _remove_workspaces(users: Iterable[UserName], *records: Path) -> list[str]:
    """Remove workspaces, and the users' names from the records. Return the users whose workspace could not be removed.

    These users' names stay, so that the next start tries again.
    """
    waiting, failed = sorted(users), list[str]()
    deadline = time.monotonic() + _MAX_LOCKED_SECONDS
    while True:
        locked: list[UserName] = []
        for user in waiting:
            try:
                LocalWorkspaces().remove(user)
                for record in records:
                    (record / user).unlink(missing_ok=True)
            except BlockingIOError:
                locked.append(user)
            except (OSError, ValueError, ToolError):
                failed.append(user)
        if not locked or time.monotonic() > deadline:
            return sorted([*locked, *failed])
        waiting = locked
        time.sleep(_PAUSE_SECONDS)


class RunFolder:
    """Context manager for the emulator's temporary directory.

    ``logs`` contains the output of runners. ``scratch`` contains their temporary files, because a killed runner cannot
    remove its own files. ``users`` contains a file for each user whose workspace the tools use. An emulator locks its
    directory while it lives. The next emulator cleans up unlocked directories, because their emulators were killed.
    On exit, only non-empty logs and the names of users whose workspace could not be removed stay.
    """

    path: Path
    logs: Path
    scratch: Path
    users: Path
    lock: int | None = None

    def __enter__(self) -> Self:
        """Create the directory with its subdirectories. Remove the files and workspaces of killed emulators."""
        # Other emulators find it by its name, so it gets that when it is locked.
        hidden = Path(tempfile.mkdtemp(prefix=_HIDDEN_PREFIX))
        self.lock = _locked(hidden)
        self.path = hidden.rename(hidden.with_name(_PREFIX + hidden.name.removeprefix(_HIDDEN_PREFIX)))
        self.logs, self.scratch, self.users = (self.path / name for name in ("logs", "scratch", "users"))
        for folder in (self.logs, self.scratch, self.users):
            folder.mkdir()
        _remove_remains(self.path)
        return self

    def __exit__(self, *_exception: object) -> None:
        """Remove the temporary files and the empty logs, and the directory if nothing remains in it."""
        _clean(self.path)
        if self.lock is not None:
            os.close(self.lock)

    @property
    def has_logs(self) -> bool:
        """Return True if the directory of logs exists. After exit, it exists only if it contains a non-empty log."""
        return self.logs.exists()


def _locked(folder: Path) -> int | None:
    """Lock a folder and return its descriptor. Return None if a living emulator has locked it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_remains(own: Path) -> None:
    """Remove files and workspaces of emulators that were killed, and logs that are older than a week."""
    dead: list[tuple[Path, int]] = []
    used: set[str] = set()
    for folder in own.parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # skip other users' folders, and folders that another emulator has just removed
            lock = None if folder == own else _locked(folder)
            if lock is None:
                used.update(_names(folder / "users"))
            else:
                dead.append((folder, lock))
    records = [folder / "users" for folder, _ in dead]
    _remove_workspaces({UserName(user) for record in records for user in _names(record)} - used, *records)
    for folder, lock in dead:
        with suppress(OSError):
            is_old = folder.stat().st_mtime + _KEEP_LOGS_SECONDS < time.time()
            remove_tree(folder) if is_old else _clean(folder)
        os.close(lock)


def _clean(folder: Path) -> None:
    """Remove a run folder except non-empty logs and the names of users whose workspace remains."""
    remove_tree(folder / "scratch")
    for log in _names(folder / "logs"):
        if not (folder / "logs" / log).stat().st_size:
            (folder / "logs" / log).unlink()
    for directory in (folder / "logs", folder / "users", folder):
        if directory.exists() and not any(directory.iterdir()):
            directory.rmdir()


def _names(folder: Path) -> Iterator[str]:
    with suppress(FileNotFoundError):
        yield from (path.name for path in folder.iterdir())
