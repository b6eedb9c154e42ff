"""Translates one server's entry from the keys of other programs to those of Satchel.

The translation checks only what it changes. ``satchel.domain.servers`` and ``infra.servers`` check the result.
"""

import difflib
import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from mcp_config.placeholders import PlaceholderError

KEYS = frozenset(
    {
        "command",
        "cwd",
        "env",
        "url",
        "transport",
        "headers",
        "auth_token",
        "groups",
        "title",
        "description",
        "allow_private",
        "files",
        "file_arguments",
        "file_transfer",
        "strict_files",
        "memory_mb",
        "requirements",
        "network",
        "read_paths",
        "process_limits",
        "enabled",
        "deploy",
        "vpc",
        "collect",
        "require_approval",
        "silence_seconds",
        "notice_seconds",
        "max_seconds",
        "protocol",
        "writes",
    }
)
"""The keys of a translated entry."""

_ALIASES = {"type": "transport", "serverUrl": "url", "httpUrl": "url"}
_TRANSLATED = frozenset({*_ALIASES, "args", "disabled"})
_TRANSPORTS = {"stdio": "stdio", "local": "stdio", "http": "http", "streamablehttp": "http", "sse": "sse"}
_SIMILAR = 0.8
_APPROVAL = "Satchel asks only before tools that `require_approval` names"
_TIMES = "the time limits are `silence_seconds` and `max_seconds`"
_SECRET = "`auth_token` is sent as bearer token, and `headers` has all other headers"  # noqa: S105  (a sentence)
_HINTS = {
    "envFile": "write its variables in `env`, as ${NAME} if they are secret",
    "auth_type": _SECRET,
    "auth_header": _SECRET,
    "oauth": _SECRET,
    "autoApprove": _APPROVAL,
    "alwaysAllow": _APPROVAL,
    "trust": _APPROVAL,
    "timeout": _TIMES,
    "initTimeout": _TIMES,
}

TranslateText = Callable[[str], str]


@dataclass
class Entry:
    """A translated entry. ``problems`` and ``warnings`` are sentences that begin with the key and say what to write."""

    fields: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def translate_entry(raw: object, translate_text: TranslateText) -> Entry:
    """Translate an entry. ``translate_text`` translates the placeholders in a text, or raises PlaceholderError."""
    entry = Entry()
    if not isinstance(raw, dict):
        entry.problems.append('write an object, such as {"command": "npx", "args": ["-y", "package"]} or {"url": "…"}')
        return entry
    for key, value in raw.items():
        name = _ALIASES.get(key, key)
        if name in KEYS:
            entry.fields[name] = value
        elif key not in _TRANSLATED:
            _report_unknown(key, entry)
    if "disabled" in raw and "enabled" not in raw:
        entry.fields["enabled"] = not raw["disabled"]
    _translate_transport(entry)
    _translate_command(raw, entry)
    for key in ("env", "headers"):
        _translate_table(key, entry)
    _translate_texts(entry, translate_text)
    if _is_on_this_machine(entry.fields.get("url")):
        entry.fields.setdefault("allow_private", True)
    return entry


def _report_unknown(key: str, entry: Entry) -> None:
    """Report an unknown key as a problem if it is probably a misspelled one, because ignoring it could be unsafe."""
    similar = difflib.get_close_matches(key, [*KEYS, *_TRANSLATED], n=1, cutoff=_SIMILAR)
    if similar:
        entry.problems.append(f"{key}: there is no such key; did you mean {similar[0]!r}?")
        return
    hint = _HINTS.get(key, "Satchel has no such key")
    entry.warnings.append(f"{key}: this key has no effect: {hint}")


def _translate_command(raw: Mapping[str, Any], entry: Entry) -> None:
    """Join ``command`` and ``args``. A ``command`` that is one text and has no ``args`` is split like a shell does."""
    command, arguments = raw.get("command"), raw.get("args")
    entry.fields.pop("command", None)
    if command is None:
        if arguments is not None:
            entry.problems.append("args: set 'command', the program that gets these arguments")
        return
    if isinstance(command, str):
        try:
            command = shlex.split(command) if arguments is None else [command]
        except ValueError as error:
            entry.problems.append(f"command: {error}; write the program and its arguments as a list")
            return
    if not isinstance(command, list) or not isinstance(arguments or [], list):
        entry.problems.append("command: write the program as text and 'args' as a list, or both as one list")
        return
    parts = [_as_text(part) for part in [*command, *(arguments or [])]]
    if not parts or None in parts:
        entry.problems.append('command: write at least the program, and each argument as text, such as ["npx", "-y"]')
        return
    entry.fields["command"] = parts


def _translate_transport(entry: Entry) -> None:
    spelled = entry.fields.pop("transport", None)
    if spelled is None:
        return
    letters = "".join(filter(str.isalpha, str(spelled).lower()))
    transport = _TRANSPORTS.get(letters)
    expected = "command" if transport == "stdio" else "url"
    if transport is None:
        entry.problems.append(f"transport: there is no transport {spelled!r}; write 'stdio', 'http' or 'sse'")
    elif expected not in entry.fields:
        entry.problems.append(f"transport: a server with the transport {spelled!r} needs {expected!r}")
    else:
        entry.fields["transport"] = transport


def _translate_table(key: str, entry: Entry) -> None:
    """Turn numbers into text, and leave out variables that are null, which unsets them in VS Code."""
    table = entry.fields.get(key)
    if table is None:
        entry.fields.pop(key, None)
        return
    if not isinstance(table, dict):
        del entry.fields[key]
        entry.problems.append(f'{key}: write an object of texts, such as {{"NAME": "value"}}')
        return
    texts = {name: _as_text(value) for name, value in table.items() if value is not None}
    entry.problems += [f"{key}.{name}: write a text" for name, text in texts.items() if text is None]
    entry.fields[key] = {name: text for name, text in texts.items() if text is not None}


def _translate_texts(entry: Entry, translate_text: TranslateText) -> None:
    def translated(place: str, value: object) -> object:
        try:
            return translate_text(value) if isinstance(value, str) else value
        except PlaceholderError as error:
            entry.problems.append(f"{place}: {error}")
            return value

    fields = entry.fields
    for key in {"url", "auth_token", "cwd"} & fields.keys():
        fields[key] = translated(key, fields[key])
    if "command" in fields:
        fields["command"] = [translated("command", part) for part in fields["command"]]
    for key in {"env", "headers"} & fields.keys():
        fields[key] = {name: translated(f"{key}.{name}", text) for name, text in fields[key].items()}


def _as_text(value: object) -> str | None:
    """Return a text, number or truth value as text, or None for all other values."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, int | float) else None


def _is_on_this_machine(url: object) -> bool:
    """Return True if the host of the URL is written as this machine. Its author then meant a private address."""
    try:
        host = urlsplit(str(url)).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
