"""Lint rules for the fields of artifacts (files), deferred artifacts, citations and grants.

Typed artifacts have other names for the same fields: ``type`` for ``mime``, ``title`` for ``name`` and ``content`` for
the bytes.
"""

from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.rules.fields import INTEGER
from local.lint.tool_output import Node, ToolOutput
from satchel.contract.media_types import VIEWERS, is_mime
from satchel.contract.tool_output import MAX_EXPIRES_HOURS

NAME = Clause("v2.1:artifacts:name-required", "3 §6.1")
MIME = Clause("v2.1:artifacts:mime-required", "3 §6.1")
MIME_FORM = Clause("v2.1:artifacts:mime-form", "3 §6.1")
BYTES = Clause("v2.1:artifacts:bytes", "3 §6.1")
VIEWER = Clause("v2.1:artifacts:viewer", "3 §6.1")
TYPED_IDENTITY = Clause("v5:artifacts:identity", "5 Best Practices")
TYPE_FORM = Clause("v5:artifacts:type-form", "5 Key Differences")
DEFERRED_NAME = Clause("v2.1:deferred:name-required", "3 §7.1")
DEFERRED_MIME = Clause("v2.1:deferred:mime-required", "3 §7.1")
DEFERRED_PATH = Clause("v2.1:deferred:path-required", "3 §7.1")
EXPIRES_HOURS = Clause("v2.1:deferred:expires-hours", "3 §7.1")
REASON = Clause("v2.1:deferred:reason", "3 §7.1")
CATEGORY = Clause("v2.1:artifacts:known-category", "3 §6.1")
CITATIONS = Clause("v5:bibliography:citations", "5 Key Differences")
GRANT_CONTENT = Clause("v5:grant:content", "5 Grant Fetch MCP")

REASONS = ("needs_editing", "draft", "incomplete", "awaiting_approval")
CATEGORIES = ("report", "dataset", "visualization", "draft")
_BYTES = ("b64", "path", "content", "uri", "s3_ref")  # `uri` (a link) and `s3_ref` (a stored file) replace the bytes
_WRONG_NAMES = {
    "name": ("filename", "file_name", "title"),
    "mime": ("mime_type", "mimeType", "mimetype", "content_type", "contentType", "type"),
    "path": ("file_path", "filepath", "filePath", "file"),
    "b64": ("base64", "data", "b64_content", "content_base64", "blob"),
}
_ADVICE = {
    "name": 'Add the file\'s name, for example "report.html".',
    "mime": 'Add the MIME type, for example "text/html".',
    "path": 'Add the path of the file, f"/tmp/{username}/…".',
}


def check_artifact_fields(output: ToolOutput) -> Iterator[Finding]:
    """Report artifacts without name, MIME type or bytes: one finding for each missing field."""
    for node in output.artifacts:
        if _is_typed(node):
            yield from _check_typed(node)
        else:
            yield from _check_required(node, "name", NAME)
            yield from _check_required(node, "mime", MIME)
        if all(node.get(key) is None for key in _BYTES):
            advice = _rename_advice(node, "path") or _rename_advice(node, "b64") or _ADVICE["path"]
            yield BYTES.error(node.json_path, f"{_label(node)} has neither `path` nor `b64`.", advice)


def check_deferred_fields(output: ToolOutput) -> Iterator[Finding]:
    """Report deferred artifacts without name, MIME type or path."""
    for node in output.deferred:
        yield from _check_required(node, "name", DEFERRED_NAME)
        yield from _check_required(node, "mime", DEFERRED_MIME)
        yield from _check_required(node, "path", DEFERRED_PATH)


def check_mime_types(output: ToolOutput) -> Iterator[Finding]:
    """Report malformed MIME types, because they leave the type of a file unknown."""
    for node in (*output.artifacts, *output.deferred):
        mime = node.text("mime")
        if mime and not is_mime(mime):
            message = f"{quoted(mime)} is not a MIME type."
            yield MIME_FORM.error(f"{node.json_path}.mime", message, "Write type/subtype, for example text/csv.")
    for node in filter(_is_typed, output.artifacts):
        kind = node.text("type")
        if kind and not is_mime(kind):
            message = f"{quoted(kind)} is not a MIME type, so the file is treated as plain text."
            yield TYPE_FORM.warning(f"{node.json_path}.type", message, "Write type/subtype, for example text/markdown.")


def check_viewers(output: ToolOutput) -> Iterator[Finding]:
    """Report unknown values of ``viewer``. Satchel ignores them, and the MIME type determines the viewer."""
    known = sorted(VIEWERS | {"auto"})
    for node in output.artifacts:
        viewer = node.text("viewer")
        if viewer and viewer.lower() not in known:
            message = f"{quoted(viewer)} is not a known viewer."
            yield VIEWER.warning(f"{node.json_path}.viewer", message, f"Use one of {', '.join(known)}, or omit it.")


def check_categories(output: ToolOutput) -> Iterator[Finding]:
    """Report a ``category`` that the contract does not list. Satchel stores the unknown category unchanged."""
    for node in (*output.artifacts, *output.deferred):
        category = node.text("category")
        if category and category not in CATEGORIES:
            message = f"{quoted(category)} is not a known category."
            yield CATEGORY.warning(f"{node.json_path}.category", message, f"Use one of {', '.join(CATEGORIES)}.")


def check_expiry(output: ToolOutput) -> Iterator[Finding]:
    """Report an ``expires_hours`` value that is not a whole number from 1 to the maximum."""
    for node in output.deferred:
        hours = node.get("expires_hours")
        if hours and not (INTEGER.matches(hours.value) and 1 <= hours.value <= MAX_EXPIRES_HOURS):
            message = f"{quoted(hours.value)} is not a whole number of hours from 1 to {MAX_EXPIRES_HOURS}."
            yield EXPIRES_HOURS.error(hours.json_path, message, "Write whole hours, or omit the field for 72.")


def check_deferred_reasons(output: ToolOutput) -> Iterator[Finding]:
    """Report a deferred artifact's ``reason`` that the contract does not list. The user sees the text unchanged."""
    for node in output.deferred:
        reason = node.text("reason")
        if reason and reason not in REASONS:
            message = f"{quoted(reason)} is not a known reason."
            yield REASON.warning(f"{node.json_path}.reason", message, f"Use one of {', '.join(REASONS)}.")


def check_citations(output: ToolOutput) -> Iterator[Finding]:
    """Report citations (items of ``bibliography``) that are not objects."""
    for item in (item for node in output.contract_objects for item in node.items_of("bibliography")):
        if not item.is_object:
            message = f"{quoted(item.value)} is not an object."
            yield CITATIONS.error(item.json_path, message, "Return each citation as an object.")


def check_grant_content(output: ToolOutput) -> Iterator[Finding]:
    """Report a ``grantMarkdown`` without ``content``, because Satchel creates no file for it."""
    for node in output.fields_at("grantMarkdown"):
        if node.is_object and node.get("content") is None:
            message = "`grantMarkdown` has no `content`."
            yield GRANT_CONTENT.error(node.json_path, message, "Return the Markdown text as `content`.")


def _is_typed(node: Node) -> bool:
    return node.text("type") is not None and not any(node.get(key) for key in ("b64", "path", "mime", "s3_ref"))


def _check_typed(node: Node) -> Iterator[Finding]:
    missing = [key for key in ("id", "title") if not node.get(key) and not (key == "title" and node.get("name"))]
    if missing:
        message = f"The artifact has no {' and no '.join(f'`{key}`' for key in missing)}."
        yield TYPED_IDENTITY.warning(node.json_path, message, "Give every typed artifact a unique id and a title.")


def _check_required(node: Node, key: str, clause: Clause) -> Iterator[Finding]:
    field = node.get(key)
    is_empty = field is not None and field.value == "" and key != "path"  # `rules.files` reports an empty path
    if field is None or is_empty:
        yield clause.error(node.json_path, f"{_label(node)} has no `{key}`.", _rename_advice(node, key) or _ADVICE[key])


def _rename_advice(node: Node, key: str) -> str | None:
    """Return the advice to rename a field if the artifact uses a common wrong name for ``key``, otherwise None."""
    wrong = next((wrong for wrong in _WRONG_NAMES[key] if node.get(wrong)), None)
    return f"Rename `{wrong}` to `{key}`." if wrong else None


def _label(node: Node) -> str:
    name = node.text("name") or node.text("title")
    return quoted(name) if name else "The file"
