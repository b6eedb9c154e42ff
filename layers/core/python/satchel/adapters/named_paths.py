"""Finds the files and folders that an entry's command and variables name, which the server can then read.

The operator who writes a script or a data folder into an entry means that the server reads it. But the folder of
mcp.json can contain other servers' secrets, so the file itself and environment files (``.env``) stay unreadable, and a
home directory is never readable as a whole. For these paths, the entry needs ``read_paths``.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM_SUFFIXES = frozenset(
    {".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".mts", ".jar", ".rb", ".php", ".sh", ".dll"}
)
"""The endings of the names of files that contain a program."""

_SHARED = frozenset({"/", "/home", "/root", "/tmp", "/var/tmp", "/etc", "/var", "/proc", "/sys", "/dev"})  # noqa: S108  (never read as a whole)
_HOMES = Path("/home")
_MAX_ENTRIES = 2000


@dataclass(frozen=True)
class NamedPaths:
    """Paths that a server can read, and directories of which it can read only the names."""

    readable: list[str] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)


def with_home(path: str) -> str:
    """Return the path with the home directory in place of ``~``, or unchanged where there is none, as on Lambda."""
    return os.path.expanduser(path)  # noqa: PTH111  (Path raises without a home directory)


def absolute_file(argument: str, folder: Path) -> str:
    """Return the argument of a command as absolute path if it names an existing file in ``folder``."""
    path = folder / argument
    is_file = bool(argument) and not argument.startswith("-") and os.path.isfile(path)  # noqa: PTH113  (Path raises)
    return os.path.normpath(path) if is_file else argument


def named_paths(texts: Sequence[str], config: Path) -> NamedPaths:
    """Return what the absolute paths in texts of an entry make readable. ``config`` is the path of the mcp.json.

    A script makes its folder readable, another file only itself, and a folder everything in it.
    """
    named = NamedPaths()
    for path in _paths(texts):
        if os.path.isdir(path):  # noqa: PTH112  (Path raises PermissionError)
            _add_directory(path, config, named)
        elif path.suffix not in PROGRAM_SUFFIXES or is_shared(path.parent):
            named.readable.append(str(path))
        else:
            _add_directory(path.parent, config, named)
    return named


def _paths(texts: Sequence[str]) -> Iterator[Path]:
    for each in texts:
        text = each.partition("=")[2] if each.startswith("-") else each
        if text.startswith(("/", "~/")):
            path = Path(os.path.normpath(with_home(text)))
            if os.path.exists(path):  # noqa: PTH110  (Path raises PermissionError)
                yield path


def _add_directory(directory: Path, config: Path, named: NamedPaths) -> None:
    if is_shared(directory):
        return
    if not config.is_relative_to(directory):
        named.readable.append(str(directory))
        return
    named.listed.append(str(directory))
    for path in _entries(directory)[:_MAX_ENTRIES]:
        if not config.is_relative_to(path) and not path.name.startswith(".env"):
            named.readable.append(str(path))


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def is_shared(directory: Path) -> bool:
    """Return True for directories that also contain what the command cannot mean, such as all of a home directory."""
    return str(directory) in _SHARED or directory.parent == _HOMES or Path(with_home("~")).is_relative_to(directory)
