"""Directories that exist while the emulator runs: users' workspaces under ``/tmp``, logs and temporary files."""

import tempfile
import threading
import time
from pathlib import Path
from typing import Self

from satchel.adapters.tree_removal import remove_tree
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.contract.errors import ToolError
from satchel.domain.ids import UserName

_REMOVE_TIMEOUT = 1.0  # seconds; limits the wait for a workspace that a tool of another emulator has locked


class Workspaces:
    """Remembers which users' workspaces the emulator's tools use. Removes them when the emulator stops. Thread-safe."""

    def __init__(self) -> None:
        self._users: set[UserName] = set()
        self._lock = threading.Lock()

    def add(self, user: UserName) -> None:
        """Remember that a tool uses this user's workspace, so that ``remove_all`` removes it."""
        with self._lock:
            self._users.add(user)

    def remove_all(self) -> list[str]:
        """Remove the workspaces and return the users whose workspace could not be removed.

        Call this after all runners have ended. Workspaces that another process still locks after a second are skipped.
        """
        with self._lock:
            users, self._users = self._users, set()
        remaining = set(users)
        threads = [threading.Thread(target=_remove, args=(user, remaining), daemon=True) for user in users]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + _REMOVE_TIMEOUT
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return sorted(remaining)


def _remove(user: UserName, remaining: set[str]) -> None:
    try:
        LocalWorkspaces().remove(UserName(user))
    except (OSError, ValueError, ToolError):  # the user stays in ``remaining``, which the caller reports
        return
    remaining.discard(user)


class RunFolder:
    """Context manager for the emulator's temporary directory. On exit, it removes everything except non-empty logs.

    ``logs`` is the folder for the output of runners. ``scratch`` is the folder for their temporary files, because a
    killed runner cannot remove its own files.
    """

    path: Path
    logs: Path
    scratch: Path

    def __enter__(self) -> Self:
        """Create the directory with its subdirectories ``logs`` and ``scratch``."""
        self.path = Path(tempfile.mkdtemp(prefix="satchel-run-"))
        self.logs = self.path / "logs"
        self.scratch = self.path / "scratch"
        for folder in (self.logs, self.scratch):
            folder.mkdir()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Remove the temporary files and the empty logs, and the directory if no log remains."""
        remove_tree(self.scratch)
        for log in self.logs.iterdir():
            if not log.stat().st_size:
                log.unlink()
        if not any(self.logs.iterdir()):
            self.logs.rmdir()
            self.path.rmdir()

    @property
    def exists(self) -> bool:
        """Return True if the directory exists. After exit, the directory exists only if it contains a non-empty log."""
        return self.path.exists()
