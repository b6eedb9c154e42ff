"""What lies in a person's directory, for telling what a call made: regular files, no links followed, no dot folders."""

import os
from collections.abc import Iterator
from pathlib import Path

from satchel.ports.runners import FileState

_INPUTS = "input_files"
_MOST_ENTRIES = 10_000
_MOST_DEPTH = 20


def list_files(home: Path) -> dict[str, FileState]:
    """Return the state of each file by its path below ``home``: ten thousand at most, twenty folders deep."""
    found: dict[str, FileState] = {}
    for path, state in _files(home):
        found[path] = state
        if len(found) >= _MOST_ENTRIES:
            break
    return found


def _files(home: Path) -> Iterator[tuple[str, FileState]]:
    folders = [""]
    while folders:
        below = folders.pop()
        for entry in _entries(home / below):
            path = f"{below}{entry.name}"
            if entry.name.startswith(".") or path == _INPUTS:
                continue
            if entry.is_dir(follow_symlinks=False):
                if path.count("/") < _MOST_DEPTH:
                    folders.append(f"{path}/")
            elif entry.is_file(follow_symlinks=False):
                found = entry.stat(follow_symlinks=False)
                yield path, FileState(size=found.st_size, changed=found.st_mtime_ns, inode=found.st_ino)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """A folder that the tool has closed or taken away holds nothing for the person."""
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []
