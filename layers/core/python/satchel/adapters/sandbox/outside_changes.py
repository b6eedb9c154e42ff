"""Finds files that changed outside the workspace during a call, if neither a guard nor the kernel restricts the server.

Only a few directories are searched, one level deep. Other programs also write in these directories, so a change does
not prove that the server made it.
"""

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from satchel.adapters.workspaces import is_workspace

WATCHED_DIRECTORIES = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  (only watched, never written)

_MAX_ENTRIES = 2000
_MAX_CHANGES = 20
_OWN_PREFIXES = (".satchel-", "satchel-")

_State = tuple[int, int]


class OutsideChanges:
    """Finds files in ``directories`` that change during a call. Ignores ``runtime_dir``, where the server may write."""

    def __init__(self, directories: Iterable[str], runtime_dir: Path) -> None:
        self._directories = dict.fromkeys(os.path.realpath(directory) for directory in directories)
        self._runtime_dir = f"{runtime_dir.resolve()}/"
        self._before: dict[str, dict[str, _State]] = {}

    def begin(self) -> None:
        """Record the entries of the directories before a call.

        Ignore directories with over 2,000 entries: a scan stops there, so two scans can return different entries.
        """
        scans = {directory: _scan(directory) for directory in self._directories}
        self._before = {directory: entries for directory, (entries, is_complete) in scans.items() if is_complete}

    def take(self) -> list[str]:
        """Return the paths (at most 20) that processes of the runner's user created or changed since ``begin``."""
        before, self._before = self._before, {}
        changed = (
            os.fsencode(path).decode(errors="replace")
            for directory, entries in before.items()
            for path, state in _scan(directory)[0].items()
            if entries.get(path) != state and not self._is_own(path)
        )
        return list(islice(changed, _MAX_CHANGES))

    def _is_own(self, path: str) -> bool:
        """Return True for Satchel's own paths (workspaces, scratch, ``runtime_dir``), which are not reported."""
        entry = Path(path)
        return entry.name.startswith(_OWN_PREFIXES) or self._runtime_dir.startswith(f"{path}/") or is_workspace(entry)


def _scan(directory: str) -> tuple[dict[str, _State], bool]:
    """Return ``({path: state}, is_complete)`` for the entries of a directory that this user owns.

    ``is_complete`` is False if the scan could not read all entries.
    """
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
    except OSError:  # the entry was removed after the directory was listed
        return None
    return (status.st_ino, status.st_ctime_ns) if status.st_uid == os.geteuid() else None
