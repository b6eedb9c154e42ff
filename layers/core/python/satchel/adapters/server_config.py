"""Reads the servers' configuration from mcp.json. Each problem names the file, the server and the key."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mcp_config import WORKSPACE, Config, ConfigFileError, base_folder, read_config, substitute
from satchel.adapters.named_paths import absolute_file, named_paths, with_home
from satchel.domain.servers import BrokenEntry, Registry, ServerEntry
from satchel.domain.tools import BUILTIN_SERVER

_PYTHON_COMMANDS = frozenset({"python", "python3"})
_GROUPS: TypeAdapter[list[str]] = TypeAdapter(list[str])

VariableSource = Callable[[str], str]
"""Returns the value of a variable. Raises ConfigError, whose message contains no values, if the variable is not set."""


class ConfigError(Exception):
    """The configuration is invalid. The message names the file, the server and the key."""


@dataclass(frozen=True)
class LoadedConfig:
    """The registry in an mcp.json, and ``warnings`` about keys that have no effect."""

    registry: Registry
    warnings: Sequence[str]


def read_registry(path: Path) -> Registry:
    """Return the enabled servers in mcp.json, with the entries that are ``broken``. See ``load_config``."""
    return load_config(path).registry


def load_config(path: Path) -> LoadedConfig:
    """Read mcp.json. Variables (``${NAME}``) are not resolved. Raise ConfigError if the file is no table of servers.

    Return absolute paths: ``cwd`` and ``read_paths`` are relative to ``base_folder``, and a program with a slash is
    relative to ``cwd``. ``~`` is the home directory. Without ``cwd``, the server starts in a folder of its own, so all
    files that its command names become absolute, too, and can be read, like those of ``env`` (``named_paths``).
    """
    try:
        config = read_config(path)
    except ConfigFileError as error:
        raise ConfigError(str(error)) from error
    servers, broken = {}, {}
    for name, fields in config.entries.items():
        problems, entry = _parse(name, fields, config)
        if entry is None or problems:
            broken[name] = BrokenEntry(problems=problems, groups=_groups(fields))
        else:
            servers[name] = _with_absolute_paths(entry, path.absolute())
    return LoadedConfig(Registry(servers=servers, broken=broken), [f"{path}: {text}" for text in config.warnings])


def describe_problems(path: Path, registry: Registry) -> Iterator[str]:
    """Yield one line for each problem of the entries in an mcp.json."""
    for name, entry in registry.broken.items():
        yield from (f"{path}: server {name!r}: {problem}" for problem in entry.problems)


def resolve_variables(path: Path, server: str, entry: ServerEntry, variables: VariableSource) -> ServerEntry:
    """Return a server's entry with its variables (``${NAME}``) resolved.

    Raise ConfigError, which names all variables that are not set and have no default.
    """
    problems: list[str] = []

    def resolve(place: str, text: str) -> str:
        def value(name: str, default: str | None) -> str:
            try:
                return variables(name) or default or ""
            except ConfigError as error:
                if default is None:
                    problems.append(f"{place}: {error}")
                return default or ""

        return substitute(text, value)

    filled = {place: resolve(place, text) for place, text in entry.templates.items()}
    if problems:
        raise ConfigError(f"{path}: server {server!r}: {'; '.join(problems)}")
    changes: dict[str, Any] = {
        "env": {name: filled[f"env.{name}"] for name in entry.env},
        "headers": {name: filled[f"headers.{name}"] for name in entry.headers},
        "command": entry.command and [filled[f"command.{number}"] for number in range(len(entry.command))],
        "auth_token": entry.auth_token and filled["auth_token"],
        "url": entry.url and filled["url"],
    }
    return entry.model_copy(update=changes)


def environment_variables(environ: Mapping[str, str]) -> VariableSource:
    """Return a function that reads variables from ``environ``."""

    def read(name: str) -> str:
        if name not in environ:
            raise ConfigError(
                f"the variable {name} is not set; set it in the environment of Satchel, or write ${{{name}:-default}}"
            )
        return environ[name]

    return read


def resolve_python(command: Sequence[str]) -> list[str]:
    """Return the command with ``python`` or ``python3`` replaced with the path of this process's interpreter."""
    first, *rest = command
    return [sys.executable if first in _PYTHON_COMMANDS else first, *rest]


def _parse(name: str, fields: Mapping[str, Any], config: Config) -> tuple[list[str], ServerEntry | None]:
    """Return the problems of an entry and, if its values are valid, the entry."""
    problems = list(config.problems.get(name, ()))
    if name == BUILTIN_SERVER:
        problems.append("this name is reserved for Satchel's built-in tools; choose another one")
    try:
        return problems, ServerEntry.model_validate(fields)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)  # the values may be secret
        # If a key could not be translated, its value is missing, which is no further problem.
        named = [each for each in found if each["loc"] or not problems]
        return [*problems, *(f"{'.'.join(map(str, each['loc'])) or 'entry'}: {each['msg']}" for each in named)], None


def _groups(fields: Mapping[str, Any]) -> list[str] | None:
    try:
        return _GROUPS.validate_python(fields.get("groups", []))
    except ValidationError:
        return None


def _with_absolute_paths(entry: ServerEntry, config: Path) -> ServerEntry:
    if entry.command is None:
        return entry
    folder = base_folder(config)
    read_paths = [_absolute(folder, path) for path in entry.read_paths]
    first, *rest = entry.command
    if entry.cwd is not None:
        in_workspace = entry.cwd.startswith(f"${{{WORKSPACE}}}")
        cwd = entry.cwd if in_workspace else _absolute(folder, entry.cwd)
        program = _absolute(folder if in_workspace else Path(cwd), first) if "/" in first else first
        return entry.model_copy(update={"cwd": cwd, "command": [program, *rest], "read_paths": read_paths})
    program = _absolute(folder, first) if "/" in first else first
    arguments = [absolute_file(argument, folder) for argument in rest]
    named = named_paths([*arguments, *entry.env.values()], config)
    changes = {"read_paths": [*read_paths, *named.readable], "list_paths": named.listed}
    return entry.model_copy(update={"command": [program, *arguments], **changes})


def _absolute(folder: Path, path: str) -> str:
    return os.path.normpath(folder / with_home(path))
