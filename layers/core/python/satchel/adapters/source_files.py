"""Recognizes that the source files of a server have changed, so that an edited server is started again.

The source files are the scripts that the command names, and all programs in their folders and in ``cwd``. Packages of
others (``node_modules``, virtual environments) do not count: their folders are large, and their authors edit elsewhere.
"""

import hashlib
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from mcp_config import WORKSPACE
from satchel.adapters.named_paths import PROGRAM_SUFFIXES, is_shared
from satchel.domain.servers import ServerEntry

MAX_FILES = 2000
"""The most files and folders of a server that are compared, because the comparison takes place before each call."""

_PACKAGES = frozenset({"node_modules", "site-packages", "__pycache__", "venv"})


def source_version(entry: ServerEntry) -> str | None:
    """Return a text that changes when a source file of the server changes, or None if no source file is known."""
    states = list(islice(_states(entry), MAX_FILES))
    return hashlib.sha256(repr(states).encode()).hexdigest()[:16] if states else None


def _states(entry: ServerEntry) -> Iterator[tuple[str, int, int, int]]:
    cwd = entry.cwd if entry.cwd and WORKSPACE not in entry.cwd else None  # tools write in a workspace
    scripts = [Path(cwd or "/", part) for part in entry.command or [] if Path(part).suffix in PROGRAM_SUFFIXES]
    folders = dict.fromkeys([*([Path(cwd)] if cwd else []), *(script.parent for script in scripts)])
    for script in scripts:
        if is_shared(script.parent):
            yield from _state(script)
    for folder in folders:
        if not is_shared(folder):
            yield from _states_below(folder)


def _states_below(folder: Path) -> Iterator[tuple[str, int, int, int]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError:
        return
    for each in entries:
        if each.name.startswith(".") or each.name in _PACKAGES:
            continue
        if each.is_dir(follow_symlinks=False):
            yield from _states_below(Path(each.path))
        elif Path(each.name).suffix in PROGRAM_SUFFIXES:
            yield from _state(Path(each.path))


def _state(file: Path) -> Iterator[tuple[str, int, int, int]]:
    try:
        status = file.stat()
    except OSError:
        return
    yield str(file), status.st_mtime_ns, status.st_size, status.st_ino
