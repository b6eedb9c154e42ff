"""Artifacts of spec 5, ``{type, id, title, content}``: completed to files, with a name by which the user finds them."""

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from satchel.contract.jsonable import NotJsonError, text_of, well_formed
from satchel.contract.media import extension_of, is_mime
from satchel.contract.names import safe_name

_IDS = UUID("5b1f2d0c-6f3e-4c58-9d5e-0b6f6d2f6a11")
_UNTITLED = "Artifact"
_SEPARATORS = re.compile(r"[/\\:]+")


def is_typed(item: Mapping[str, Any]) -> bool:
    """Tell whether an artifact is one of spec 5: a type and its content as text or JSON, no bytes and no path."""
    has_bytes = item.get("b64") is not None or item.get("path") is not None
    return isinstance(item.get("type"), str) and item.get("content") is not None and not has_bytes


def completed(item: Mapping[str, Any], position: int) -> dict[str, Any]:
    """Fill in what spec 5 wants and the tool left out. The id is derived: made twice, it is the same."""
    kind = item["type"]
    mime = item.get("mime") or (kind if is_mime(kind) else "text/plain")
    title = item.get("title") or item.get("name") or _UNTITLED
    fallbacks = {
        "mime": mime,
        "title": title,
        "name": file_name(str(title), str(mime)),
        "id": derived_id(position, kind, title, item["content"]),
        "position": position,
    }
    return fallbacks | {key: value for key, value in item.items() if value not in (None, "") or key == "content"}


def file_name(title: str, mime: str) -> str:
    """Make a file name of a title; slashes in it separate words, not folders."""
    name = safe_name(_SEPARATORS.sub("-", title))
    extension = extension_of(mime, default=".txt")
    return name if name.lower().endswith(extension) else safe_name(name + extension)


def derived_id(position: int, *parts: object) -> str:
    """Derive an id from what an artifact is and where it stands in its result."""
    try:
        text = "\0".join(part if isinstance(part, str) else text_of(part) for part in parts)
    except NotJsonError:
        text = ""
    return str(uuid5(_IDS, f"{position}\0{well_formed(text)}"))
