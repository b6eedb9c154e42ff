"""Adds an entry to an mcp.json without a change of its other text, such as comments."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.cli.errors import NewServerError
from mcp_config import ConfigFileError, jsonc, read_config

_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class EditableConfig:
    """The text of an mcp.json, the names of all its servers, and the keys that lead to the table of servers."""

    text: str
    names: frozenset[str]
    keys: tuple[str, ...]


def read_editable(path: Path) -> EditableConfig:
    """Read an mcp.json; a missing file is an empty table. Raise NewServerError if it is invalid."""
    if not path.exists():
        return EditableConfig("{}\n", frozenset(), ())
    try:
        config = read_config(path)
        return EditableConfig(path.read_text(encoding="utf-8"), config.names, config.keys)
    except (ConfigFileError, OSError) as error:
        raise NewServerError(f"{error}.") from error


def with_entry(config: EditableConfig, name: str, entry: Mapping[str, object]) -> str:
    """Return the text with a new entry at the end of the table of servers."""
    text = config.text
    end = _end_of_object(jsonc.blank(text), config.keys)
    before = jsonc.blank_comments(text)[:end].rstrip()
    comma = "" if before.endswith(("{", ",")) else ","
    indent = "  " * (len(config.keys) + 1)
    fields = ",\n".join(f"{indent}  {json.dumps(key)}: {json.dumps(value)}" for key, value in entry.items())
    new = f"{indent}{json.dumps(name)}: {{\n{fields}\n{indent}}}\n{indent[2:]}"
    between = text[len(before) : end].rstrip()
    return f"{text[: len(before)]}{comma}{between}\n{new}{text[end:]}"


def _end_of_object(text: str, keys: Sequence[str]) -> int:
    """Return the position of the brace that closes the object below these keys. The text must be valid JSON."""
    path: list[str | None] = []
    key: str | None = None
    position = 0
    while True:
        match text[position]:
            case '"':
                key, position = _DECODER.raw_decode(text, position)
                continue
            case "{" | "[":
                path.append(key)
            case "}" if path[1:] == list(keys):
                return position
            case "}" | "]":
                path.pop()
        position += 1
