"""Reads the servers' configuration from mcp.json. Each error names the file, the server and the key."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from satchel.domain.servers import VARIABLE, Registry, ServerEntry
from satchel.domain.tools import BUILTIN_SERVER

_ENTRIES: TypeAdapter[dict[str, dict[str, Any]]] = TypeAdapter(dict[str, dict[str, Any]])
_LAYOUT = ("config", "overrides")
_PYTHON_COMMANDS = frozenset({"python", "python3"})

VariableSource = Callable[[str], str]
"""Returns the value of a variable. Raises ConfigError, whose message contains no values, if the variable is not set."""


class ConfigError(Exception):
    """The configuration is invalid. The message names the file, the server and the key."""


def read_registry(path: Path) -> Registry:
    """Return the enabled servers in mcp.json. Variables (``${NAME}``) are not resolved.

    Return absolute paths: ``cwd`` and ``read_paths`` are relative to ``base_folder``, and a command with a slash is
    relative to ``cwd``. Raise ConfigError if the file is invalid.
    """
    try:
        entries = _ENTRIES.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ConfigError(f"{path}: {_describe(error)}") from error
    if BUILTIN_SERVER in entries:
        raise ConfigError(f"{path}: server {BUILTIN_SERVER!r}: this name is reserved for Satchel's built-in tools")
    folder = base_folder(path)
    servers = {name: _parse_entry(f"{path}: server {name!r}", fields, folder) for name, fields in entries.items()}
    return Registry(servers={name: entry for name, entry in servers.items() if entry.enabled})


def base_folder(path: Path) -> Path:
    """Return the folder to which the paths in an mcp.json are relative, usually the folder of the mcp.json.

    For ``config/overrides/mcp.json``, it is the project's folder, which contains ``config`` (v4:registry:layout).
    ``infra/servers.py`` has the same rule.
    """
    folder = path.absolute().parent
    return folder.parents[1] if folder.parts[-2:] == _LAYOUT else folder


def resolve_variables(path: Path, server: str, entry: ServerEntry, variables: VariableSource) -> ServerEntry:
    """Return a server's entry with its variables (``${NAME}``) resolved. Raise ConfigError if a variable is not set."""

    def resolve(key: str, text: str) -> str:
        try:
            return VARIABLE.sub(lambda match: variables(match[1]), text)
        except ConfigError as error:
            raise ConfigError(f"{path}: server {server!r}: {key}: {error}") from error

    changes: dict[str, Any] = {"env": {name: resolve(f"env.{name}", text) for name, text in entry.env.items()}}
    for key in ("auth_token", "url"):
        text = getattr(entry, key)
        if text is not None:
            changes[key] = resolve(key, text)
    return entry.model_copy(update=changes)


def environment_variables(environ: Mapping[str, str]) -> VariableSource:
    """Return a function that reads variables from ``environ``."""

    def read(name: str) -> str:
        if name not in environ:
            raise ConfigError(f"the variable {name} is not set")
        return environ[name]

    return read


def resolve_python(command: Sequence[str]) -> list[str]:
    """Return the command with ``python`` or ``python3`` replaced with the path of this process's interpreter."""
    first, *rest = command
    return [sys.executable if first in _PYTHON_COMMANDS else first, *rest]


def _parse_entry(location: str, fields: dict[str, Any], folder: Path) -> ServerEntry:
    try:
        entry = ServerEntry.model_validate(fields)
    except ValidationError as error:
        raise ConfigError(f"{location}: {_describe(error)}") from error
    if entry.command is None:
        return entry
    cwd = os.path.normpath(folder / (entry.cwd or "."))
    first, *rest = entry.command
    if "/" in first:
        first = os.path.normpath(Path(cwd) / first)
    read_paths = [os.path.normpath(folder / path) for path in entry.read_paths]
    return entry.model_copy(update={"cwd": cwd, "command": [first, *rest], "read_paths": read_paths})


def _describe(error: Exception) -> str:
    """Return the problems as ``key: problem``, without the configured values, because these may be secret."""
    if not isinstance(error, ValidationError):
        return str(error)
    problems = error.errors(include_input=False, include_url=False)
    return "; ".join(f"{'.'.join(map(str, each['loc'])) or 'entry'}: {each['msg']}" for each in problems)
