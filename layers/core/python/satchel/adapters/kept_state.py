"""The folders in which servers keep the state of their users, one for each server and user (``"writes": "keep"``).

They exist on one machine only: the environments of Lambda share no folder. Names of servers and users are validated, so
they are safe as names of folders.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from satchel.adapters.tree_removal import remove_tree
from satchel.contract.errors import ToolFailed
from satchel.domain.ids import UserName

_ENTRY_BYTES = 4096
_REMOVED = ".removed-"


@dataclass(frozen=True)
class KeptState:
    """The folders of one server below ``root``. Each may take at most ``max_bytes`` on the disk."""

    root: Path
    server: str
    max_bytes: int

    def open(self, user: UserName) -> Path:
        """Return the user's folder, which is created at the first call. Raise ToolFailed if it has become too large.

        Only the runner that holds the user's workspace calls this, so one call at a time uses the folder.
        """
        folder = self.root / self.server / user
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _size_up_to(folder, self.max_bytes) > self.max_bytes:
            raise ToolFailed(
                f"The data that the server {self.server!r} keeps for you take more than {self.max_bytes >> 20} MiB",
                suggestion="Ask the operator of Satchel to delete some of them, or to raise SATCHEL_MAX_STATE_MB",
                current_limit_bytes=self.max_bytes,
            )
        return folder


def remove_state(root: Path, user: UserName) -> None:
    """Remove everything that servers have kept for a user. Raise OSError if something cannot be removed.

    The folders get another name first. So a server that is still running cannot write in them under the old name, and
    the next call does not reuse its process.
    """
    for server in _folders(root):
        removed = root / f"{_REMOVED}{uuid4()}"
        try:
            (server / user).rename(removed)
        except FileNotFoundError:
            continue
    for folder in _folders(root):
        if folder.name.startswith(_REMOVED):
            remove_tree(folder)


def _folders(root: Path) -> list[Path]:
    return [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []


def _size_up_to(folder: Path, limit: int) -> int:
    """Return the size of a tree on the disk, or a part of it that exceeds the limit. Each entry counts 4 KiB more."""
    size, pending = 0, [str(folder)]
    while pending and size <= limit:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:  # a tool has removed the folder, or its own right to read it
            continue
        for entry in entries:
            size += _ENTRY_BYTES + entry.stat(follow_symlinks=False).st_blocks * 512
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
    return size
