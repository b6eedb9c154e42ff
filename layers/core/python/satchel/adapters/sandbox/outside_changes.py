"""Finds changes outside the workspace by a server that neither a guard nor the kernel stops.

The search covers a few directories, one level deep. Other programs write there too, so a change is not proof that the
server made it.
"""

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from satchel.adapters.workspaces import is_workspace

WATCHED_DIRECTORIES = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  (directories to watch; nothing is written there)

_MAX_ENTRIES = 2000
_MAX_CHANGES = 20
_OWN_PREFIXES = (".satchel-", "satchel-")

_State = tuple[int, int]


class OutsideChanges:
    """Compares ``directories`` before and after a call. ``runtime_dir`` is where the server is allowed to write."""

    def __init__(self, directories: Iterable[str], runtime_dir: Path) -> None:
        self._directories = dict.fromkeys(os.path.realpath(directory) for directory in directories)
        self._runtime_dir = f"{runtime_dir.resolve()}/"
        self._before: dict[str, dict[str, _State]] = {}

    def begin(self) -> None:
        """Record the current entries. Skip directories with over 2,000 entries, where the scan would be incomplete."""
        scans = {directory: _scan(directory) for directory in self._directories}
        self._before = {directory: entries for directory, (entries, is_complete) in scans.items() if is_complete}

    def take(self) -> list[str]:
        """Return the paths (at most 20) that this user's processes created or changed since ``begin``."""
        before, self._before = self._before, {}
        changed = (
            os.fsencode(path).decode(errors="replace")
            for directory, entries in before.items()
            for path, state in _scan(directory)[0].items()
            if entries.get(path) != state and not self._is_own(path)
        )
        return list(islice(changed, _MAX_CHANGES))

    def _is_own(self, path: str) -> bool:
        """Return True for workspaces, scratch directories (also of other calls) and parents of the runtime_dir."""
        entry = Path(path)
        return entry.name.startswith(_OWN_PREFIXES) or self._runtime_dir.startswith(f"{path}/") or is_workspace(entry)


def _scan(directory: str) -> tuple[dict[str, _State], bool]:
    """Return the state of each entry of this user, and False if the directory could not be read completely."""
    states: dict[str, _State] = {}
    try:
        with os.scandir(directory) as entries:
            listed = list(islice(entries, _MAX_ENTRIES + 1))
    except FileNotFoundError:
        return states, True
    except OSError:
        return states, False
    for entry in listed[:_MAX_ENTRIES]:
        if state := _state(entry):
            states[entry.path] = state
    return states, len(listed) <= _MAX_ENTRIES


def _state(entry: os.DirEntry[str]) -> _State | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # removed in the meantime
        return None
    return (status.st_ino, status.st_ctime_ns) if status.st_uid == os.geteuid() else None
