"""Finds the table of servers in a configuration file: flat, or below the key that the file's program uses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_NESTED = (("mcpServers",), ("mcp", "servers"), ("servers",))
"""The keys of Claude, Cursor and most other programs; of VS Code's settings; and of VS Code's own ``mcp.json``."""

_NO_SERVERS = frozenset({"$schema", "inputs"})


@dataclass(frozen=True)
class Layout:
    """The entries of a file by name, as they are in the file, and the keys that lead to their table.

    ``input_defaults`` are the default values of VS Code's ``inputs`` by id. ``ignored`` are keys that are no servers.
    """

    entries: Mapping[str, Any]
    keys: tuple[str, ...] = ()
    input_defaults: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


def find_layout(document: object) -> Layout:
    """Return the layout of a parsed file. Raise ValueError if the file is not a JSON object."""
    if not isinstance(document, dict):
        raise ValueError('the file must be a JSON object, such as {"mcpServers": {"name": {"command": "npx"}}}')  # noqa: TRY004  (the content is invalid, not a type)
    for keys in _NESTED:
        table, holder = _follow(document, keys)
        if table is not None and not _is_entry(table):
            ignored = tuple(key for key in document if key not in {keys[0], *_NO_SERVERS})
            return Layout(table, keys, _defaults(holder.get("inputs")), ignored)
    entries = {name: entry for name, entry in document.items() if name not in _NO_SERVERS or isinstance(entry, dict)}
    return Layout(entries, (), _defaults(document.get("inputs")))


def _follow(document: dict[str, Any], keys: tuple[str, ...]) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the object below the keys, or None, and the object that contains its last key."""
    holder: dict[str, Any] = document
    for key in keys[:-1]:
        inner = holder.get(key)
        if not isinstance(inner, dict):
            return None, holder
        holder = inner
    table = holder.get(keys[-1])
    return (table if isinstance(table, dict) else None), holder


def _is_entry(value: dict[str, Any]) -> bool:
    """Return True if this is one server's entry: then the key is the name of a server, not the key of a table."""
    return any(key in value and not isinstance(value[key], dict) for key in ("command", "url"))


def _defaults(inputs: object) -> dict[str, str]:
    if not isinstance(inputs, list):
        return {}
    declared = [each for each in inputs if isinstance(each, dict) and isinstance(each.get("id"), str)]
    return {each["id"]: each["default"] for each in declared if isinstance(each.get("default"), str)}
