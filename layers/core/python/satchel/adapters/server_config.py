"""Reading mcp.json (spec 4 §3). What is wrong in it is said by entry and key, at start."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from satchel.domain.servers import VARIABLE, Registry, ServerEntry

_ENTRIES: TypeAdapter[dict[str, dict[str, Any]]] = TypeAdapter(dict[str, dict[str, Any]])
_PYTHONS = frozenset({"python", "python3"})


class ConfigError(Exception):
    """The configuration cannot be used. The message names file, entry and key."""


def read_registry(path: Path, environ: Mapping[str, str], own: str | None = None) -> Registry:
    """Read the enabled servers. In the entry ``own`` alone, ``${VAR}`` is filled in from ``environ``.

    ``cwd`` is relative to the file, a command with a slash in it relative to ``cwd``. Raises ConfigError, also for a
    variable of ``own`` that is not set.
    """
    try:
        raw = _ENTRIES.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ConfigError(f"{path}: {_said(error)}") from error
    entries = {name: _entry(f"{path}: server {name!r}", fields, path.parent) for name, fields in raw.items()}
    servers = {name: entry for name, entry in entries.items() if entry.enabled}
    if own in servers:
        servers[own] = _filled(f"{path}: server {own!r}", servers[own], environ)
    return Registry(servers=servers)


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
    return entry.model_copy(update={"cwd": cwd, "command": [first, *rest]})


def _filled(where: str, entry: ServerEntry, environ: Mapping[str, str]) -> ServerEntry:
    def fill(key: str, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            if found[1] not in environ:
                raise ConfigError(f"{where}: {key}: the variable {found[1]} is not set")
            return environ[found[1]]

        return VARIABLE.sub(value, text)

    filled: dict[str, Any] = {"env": {name: fill(f"env.{name}", text) for name, text in entry.env.items()}}
    for key in ("auth_token", "url"):
        text = getattr(entry, key)
        if text is not None:
            filled[key] = fill(key, text)
    return entry.model_copy(update=filled)


def _said(error: Exception) -> str:
    """Tell each problem as ``key: what is wrong``, without the values: they may be secret."""
    if not isinstance(error, ValidationError):
        return str(error)
    problems = error.errors(include_input=False, include_url=False)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'entry'}: {one['msg']}" for one in problems)
