"""Reads a configuration file and translates all its entries. One invalid entry does not hide the others."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcp_config import jsonc
from mcp_config.entries import translate_entry
from mcp_config.layouts import find_layout
from mcp_config.placeholders import translate

_OVERRIDES = ("config", "overrides")
_EDITOR_FOLDERS = frozenset({".vscode", ".cursor"})
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
_NOT_IN_NAMES = re.compile(r"[^\w.-]+", re.ASCII)


class ConfigFileError(ValueError):
    """The file cannot be read, or it is not a JSON object. The message names the file."""


@dataclass(frozen=True)
class Config:
    """The entries of a file by server name, translated. Disabled entries are left out.

    A server whose name in the file has other characters than tools may have, such as ``DuckDB (in-memory)``, gets its
    ``server_name``, and keeps the name in the file as its title.

    ``problems`` has, for each server whose entry is invalid, sentences that begin with the key. ``warnings`` are
    sentences about keys without effect. ``names`` are the names of all servers in the file, also of disabled ones.
    ``keys`` lead to the table of servers in the file, and are empty if the file is the table.
    """

    entries: Mapping[str, dict[str, Any]]
    problems: Mapping[str, list[str]]
    warnings: list[str]
    names: frozenset[str]
    keys: tuple[str, ...] = ()


def read_config(path: Path, project_folder: str | None = None) -> Config:
    """Read a file. Raise ConfigFileError.

    ``project_folder`` replaces ``${workspaceFolder}``. The default is the ``base_folder``.
    """
    try:
        layout = find_layout(jsonc.parse(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError) as error:
        raise ConfigFileError(f"{path}: {error}") from error
    folder = str(base_folder(path)) if project_folder is None else project_folder
    translate_text = partial(translate, project_folder=folder, defaults=layout.input_defaults)
    names = _unique_names(layout.entries)
    translated = {names[name]: translate_entry(raw, translate_text) for name, raw in layout.entries.items()}
    enabled = {name: entry for name, entry in translated.items() if entry.fields.get("enabled", True) is not False}
    problems = {name: [*_name_problems(name), *entry.problems] for name, entry in enabled.items()}
    warnings = [f"{key}: this key has no effect" for key in layout.ignored]
    for written, name in names.items():
        if name != written and name in enabled:
            enabled[name].fields.setdefault("title", written)
            enabled[name].warnings.append(f"its name in the file is {written!r}, and its tools begin with {name!r}")
    warnings += [f"server {name!r}: {text}" for name, entry in enabled.items() for text in entry.warnings]
    return Config(
        entries={name: entry.fields for name, entry in enabled.items()},
        problems={name: texts for name, texts in problems.items() if texts},
        warnings=warnings,
        names=frozenset({*names, *names.values()}),
        keys=layout.keys,
    )


def base_folder(path: Path) -> Path:
    """Return the folder to which the paths in an mcp.json are relative, usually the folder of the mcp.json.

    For ``config/overrides/mcp.json``, it is the project's folder, which contains ``config`` (v4:registry:layout). For
    the files of editors, such as ``.vscode/mcp.json``, it is the project's folder, too.
    """
    folder = path.absolute().parent
    if folder.parts[-2:] == _OVERRIDES:
        return folder.parents[1]
    return folder.parent if folder.name in _EDITOR_FOLDERS else folder


def server_name(text: str) -> str:
    """Return a text as the name of a server: with ``-`` in place of characters that the names of tools cannot have."""
    return _NOT_IN_NAMES.sub("-", text).strip("-.") if not _NAME.fullmatch(text) else text


def _unique_names(written: Iterable[str]) -> dict[str, str]:
    """Return each server's name by its name in the file. If two would get the same, both keep those of the file."""
    texts = list(written)
    candidates = {text: server_name(text) for text in texts}
    counts = Counter(candidates.values())
    return {text: name if name and counts[name] == 1 else text for text, name in candidates.items()}


def _name_problems(name: str) -> list[str]:
    if _NAME.fullmatch(name):
        return []
    return ["the name of a server has letters, digits, dots, - and _, and begins with a letter, a digit or _"]
