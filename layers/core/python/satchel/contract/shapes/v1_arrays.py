"""Part: ``returned_file_names`` and ``returned_file_contents`` of the first contract (spec 1; spec 2 §1 and §7)."""

from collections.abc import Mapping
from typing import Any

from satchel.contract.media import mime_of
from satchel.contract.names import safe_name
from satchel.contract.shapes.draft import Draft

_NAMES = "returned_file_names"
_CONTENTS = "returned_file_contents"


def take(payload: dict[str, Any], draft: Draft) -> None:
    """Turn the pairs into artifacts, unless the tool returned ``artifacts`` as well: then those are the same files."""
    names = [name for name in _taken(payload, _NAMES) if isinstance(name, str)]
    contents = _taken(payload, _CONTENTS)
    if "artifacts" in draft.given:
        return
    used = set()
    for number, content in enumerate(contents, start=1):
        fields = _fields(content, names[number - 1] if number <= len(names) else f"file-{number}")
        used.add(fields["name"])
        draft.add(fields, str(fields["name"]))
    for name in names[len(contents) :]:
        if name not in used:
            draft.refuse(name, f"no content: {_CONTENTS} is shorter than {_NAMES}")


def _fields(content: object, name: str) -> dict[str, Any]:
    """Read one content: base64, or an object that knows its own name."""
    given = dict(content) if isinstance(content, Mapping) else {"b64": content}
    given["name"] = given.get("name") or name
    given["mime"] = given.get("mime") or mime_of(safe_name(str(given["name"])))
    return given


def _taken(payload: dict[str, Any], key: str) -> list[Any]:
    value = payload.pop(key, None)
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
