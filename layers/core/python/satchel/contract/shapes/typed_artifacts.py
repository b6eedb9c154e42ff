"""Convert objects ``{type, id, title, content}`` and the fields ``bibliography`` and ``grantMarkdown`` to artifacts."""

import re
from collections.abc import Mapping
from typing import Any

from satchel.contract.file_names import safe_name
from satchel.contract.jsonable import NotJsonError, parse_json, to_json_text
from satchel.contract.media_types import extension_of, is_mime
from satchel.contract.shapes.output_builder import OutputBuilder

BIBLIOGRAPHY_TYPE = "application/vnd.bibliography"
BIBLIOGRAPHY_TITLE = "Article References"
GRANT_TYPE = "text/markdown"
GRANT_TITLE = "NIH Grant Details"
KNOWLEDGE_GRAPH_TYPE = "application/vnd.knowledge-graph"

EMPTY_REASON = "it is empty, so no file was stored"
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
    add_typed({"type": BIBLIOGRAPHY_TYPE, "title": BIBLIOGRAPHY_TITLE, "content": content}, builder)


def extract_grant(payload: dict[str, Any], builder: OutputBuilder) -> None:
    """Convert ``grantMarkdown`` (text or an object with text) to a Markdown artifact (clause v5:grant:artifact)."""
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
    add_typed({"language": "markdown", **grant, "type": kind, "title": title}, builder)


def is_typed(item: Mapping[str, Any]) -> bool:
    """Return True if an item is a typed artifact: it has ``type`` and ``content``, but no ``b64`` and no ``path``."""
    has_bytes = item.get("b64") is not None or item.get("path") is not None
    return isinstance(item.get("type"), str) and item.get("content") is not None and not has_bytes


def add_typed(item: Mapping[str, Any], builder: OutputBuilder) -> None:
    """Add a typed artifact to the builder, or report a problem if its content is empty."""
    fields = _fill_defaults(item, position=len(builder.artifacts))
    if _is_empty(item["type"], item["content"]):
        builder.add_problem(str(fields["title"]), EMPTY_REASON)
    else:
        builder.add_artifact(fields, str(fields["title"]))


def _is_empty(kind: str, content: object) -> bool:
    """Return True for blank Markdown, and for a bibliography or knowledge graph whose lists have no items."""
    is_blank = isinstance(content, str) and not content.strip()
    if kind == GRANT_TYPE:
        return is_blank
    if kind not in {BIBLIOGRAPHY_TYPE, KNOWLEDGE_GRAPH_TYPE}:
        return False
    if is_blank:
        return True
    try:
        value = parse_json(content) if isinstance(content, str) else content
    except NotJsonError:
        return False
    if not isinstance(value, Mapping):
        return value in (None, [], ())
    lists = [item for item in value.values() if isinstance(item, list | Mapping)]
    return not value or (bool(lists) and not any(lists))


def _fill_defaults(item: Mapping[str, Any], position: int) -> dict[str, Any]:
    """Return a typed artifact with defaults for missing fields."""
    kind = item["type"]
    mime = item.get("mime") or (kind if is_mime(kind) else "text/plain")
    title = item.get("title") or item.get("name") or _DEFAULT_TITLE
    defaults = {
        "mime": mime,
        "title": title,
        "name": _file_name(str(title), str(mime)),
        "position": position,
    }
    return defaults | {key: value for key, value in item.items() if value not in (None, "") or key == "content"}


def _file_name(title: str, mime: str) -> str:
    """Return a file name for a title. Slashes in titles separate words, not folders, so replace them with ``-``."""
    name = safe_name(_SEPARATORS.sub("-", title))
    extension = extension_of(mime, default=".txt")
    return name if name.lower().endswith(extension) else safe_name(name + extension)
