"""Reading mcp.json (spec 4 §3). What is wrong in it is said by entry and key, at start."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from satchel.domain.servers import VARIABLE, Registry, ServerEntry
from satchel.domain.tools import SERVER

_ENTRIES: TypeAdapter[dict[str, dict[str, Any]]] = TypeAdapter(dict[str, dict[str, Any]])
_PYTHONS = frozenset({"python", "python3"})

Values = Callable[[str], str]
"""Finds the value of a variable by its name. Raises ConfigError, which never tells a value."""


class ConfigError(Exception):
    """The configuration cannot be used. The message names file, entry and key."""


def read_registry(path: Path) -> Registry:
    """Read the enabled servers as they are written: a ``${VAR}`` stays what it is.

    ``cwd`` is relative to the file, a command with a slash in it relative to ``cwd``. Raises ConfigError.
    """
    try:
        raw = _ENTRIES.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ConfigError(f"{path}: {_said(error)}") from error
    if SERVER in raw:
        raise ConfigError(f"{path}: server {SERVER!r}: the name is taken, Satchel's own tools are listed under it")
    entries = {name: _entry(f"{path}: server {name!r}", fields, path.parent) for name, fields in raw.items()}
    return Registry(servers={name: entry for name, entry in entries.items() if entry.enabled})


def filled(path: Path, server: str, entry: ServerEntry, values: Values) -> ServerEntry:
    """Return the entry of a server with a value in the place of each ``${VAR}``.

    Raises ConfigError for a variable that has none.
    """

    def fill(key: str, text: str) -> str:
        try:
            return VARIABLE.sub(lambda found: values(found[1]), text)
        except ConfigError as error:
            raise ConfigError(f"{path}: server {server!r}: {key}: {error}") from error

    given: dict[str, Any] = {"env": {name: fill(f"env.{name}", text) for name, text in entry.env.items()}}
    for key in ("auth_token", "url"):
        text = getattr(entry, key)
        if text is not None:
            given[key] = fill(key, text)
    return entry.model_copy(update=given)


def of_environment(environ: Mapping[str, str]) -> Values:
    """Return where to look up variables that are all set in an environment."""

    def look_up(name: str) -> str:
        if name not in environ:
            raise ConfigError(f"the variable {name} is not set")
        return environ[name]

    return look_up


def interpreter(command: Sequence[str]) -> list[str]:
    """Return the command with ``python`` as the interpreter that this process runs on."""
    first, *rest = command
    return [sys.executable if first in _PYTHONS else first, *rest]


def _entry(where: str, fields: dict[str, Any], folder: Path) -> ServerEntry:
    try:
        entry = ServerEntry.model_validate(fields)
    except ValidationError as error:
        raise ConfigError(f"{where}: {_said(error)}") from error
    if entry.command is None:
        return entry
    cwd = os.path.normpath(folder.absolute() / (entry.cwd or "."))
    first, *rest = entry.command
    if "/" in first:
        first = os.path.normpath(Path(cwd) / first)
    reads = [os.path.normpath(folder.absolute() / path) for path in entry.read_paths]
    return entry.model_copy(update={"cwd": cwd, "command": [first, *rest], "read_paths": reads})


def _said(error: Exception) -> str:
    """Tell each problem as ``key: what is wrong``, without the values: they may be secret."""
    if not isinstance(error, ValidationError):
        return str(error)
    problems = error.errors(include_input=False, include_url=False)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'entry'}: {one['msg']}" for one in problems)
