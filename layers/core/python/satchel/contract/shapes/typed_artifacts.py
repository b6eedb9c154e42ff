"""Convert typed artifacts ``{type, id, title, content}``, bibliographies and grants to the contract's artifacts."""

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from satchel.contract.file_names import safe_name
from satchel.contract.jsonable import NotJsonError, replace_surrogates, to_json_text
from satchel.contract.media_types import extension_of, is_mime
from satchel.contract.shapes.output_builder import OutputBuilder

BIBLIOGRAPHY_TYPE = "application/vnd.bibliography"
BIBLIOGRAPHY_TITLE = "Article References"
GRANT_TYPE = "text/markdown"
GRANT_TITLE = "NIH Grant Details"

_ID_NAMESPACE = UUID("5b1f2d0c-6f3e-4c58-9d5e-0b6f6d2f6a11")
_DEFAULT_TITLE = "Artifact"
_SEPARATORS = re.compile(r"[/\\:]+")


def extract_bibliography(payload: dict[str, Any], builder: OutputBuilder) -> None:
    """Convert ``bibliography``, a list of citations, to one JSON artifact (clause v5:bibliography:artifact)."""
    citations = payload.get("bibliography")
    if not isinstance(citations, list | tuple):
        return
    del payload["bibliography"]
    try:
        content = to_json_text(citations)
    except NotJsonError as error:
        builder.add_problem(BIBLIOGRAPHY_TITLE, str(error))
        return
    item = {"type": BIBLIOGRAPHY_TYPE, "title": BIBLIOGRAPHY_TITLE, "content": content}
    builder.add_artifact(fill_defaults(item, position=len(builder.artifacts)), BIBLIOGRAPHY_TITLE)


def extract_grant(payload: dict[str, Any], builder: OutputBuilder) -> None:
    """Convert ``grantMarkdown``, an object or plain text, to a Markdown artifact (clause v5:grant:artifact)."""
    value = payload.get("grantMarkdown")
    grant = {"content": value} if isinstance(value, str) else value
    if not isinstance(grant, Mapping):
        return
    del payload["grantMarkdown"]
    title = grant.get("title") or GRANT_TITLE
    if grant.get("content") is None:
        builder.add_problem(str(title), "no content")
        return
    kind = grant.get("type")
    kind = kind if isinstance(kind, str) and is_mime(kind) else GRANT_TYPE
    item = {"language": "markdown", **grant, "type": kind, "title": title}
    builder.add_artifact(fill_defaults(item, position=len(builder.artifacts)), str(title))


def is_typed(item: Mapping[str, Any]) -> bool:
    """Return True if an item is a typed artifact: it has ``type`` and ``content``, but no ``b64`` and no ``path``."""
    has_bytes = item.get("b64") is not None or item.get("path") is not None
    return isinstance(item.get("type"), str) and item.get("content") is not None and not has_bytes


def fill_defaults(item: Mapping[str, Any], position: int) -> dict[str, Any]:
    """Return a typed artifact with defaults for missing fields. The default id depends on position and content only."""
    kind = item["type"]
    mime = item.get("mime") or (kind if is_mime(kind) else "text/plain")
    title = item.get("title") or item.get("name") or _DEFAULT_TITLE
    defaults = {
        "mime": mime,
        "title": title,
        "name": _file_name(str(title), str(mime)),
        "id": _derive_id(position, kind, title, item["content"]),
        "position": position,
    }
    return defaults | {key: value for key, value in item.items() if value not in (None, "") or key == "content"}


def _file_name(title: str, mime: str) -> str:
    """Return a file name for a title. Slashes in titles separate words, not folders, so replace them with ``-``."""
    name = safe_name(_SEPARATORS.sub("-", title))
    extension = extension_of(mime, default=".txt")
    return name if name.lower().endswith(extension) else safe_name(name + extension)


def _derive_id(position: int, *parts: object) -> str:
    """Return a hash of an artifact's position and parts as id, so that the same output always gets the same ids."""
    try:
        text = "\0".join(part if isinstance(part, str) else to_json_text(part) for part in parts)
    except NotJsonError:
        text = ""
    return str(uuid5(_ID_NAMESPACE, f"{position}\0{replace_surrogates(text)}"))
