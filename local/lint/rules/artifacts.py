"""What a file must say about itself (spec 2 §1; spec 3 §6.1 and §7.1; spec 5).

The typed artifacts of spec 5 say it otherwise: `type` for `mime`, `title` for `name`, `content` for the bytes.
"""

from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.subject import Node, Subject
from satchel.contract.media_types import VIEWERS, is_mime

NAME = Clause("v2.1:artifacts:name-required", "3 §6.1")
MIME = Clause("v2.1:artifacts:mime-required", "3 §6.1")
MIME_FORM = Clause("v2.1:artifacts:mime-form", "3 §6.1")
BYTES = Clause("v2.1:artifacts:bytes", "3 §6.1")
VIEWER = Clause("v2.1:artifacts:viewer", "3 §6.1")
TYPED = Clause("v5:artifacts:identity", "5 Best Practices")
TYPE_FORM = Clause("v5:artifacts:type-form", "5 Key Differences")
DEFERRED_NAME = Clause("v2.1:deferred:name-required", "3 §7.1")
DEFERRED_MIME = Clause("v2.1:deferred:mime-required", "3 §7.1")
DEFERRED_PATH = Clause("v2.1:deferred:path-required", "3 §7.1")

_BYTES = ("b64", "path", "content", "uri", "s3_ref")  # the last two: links, and what a client made of large files
_OTHER_NAMES = {
    "name": ("filename", "file_name", "title"),
    "mime": ("mime_type", "mimeType", "mimetype", "content_type", "contentType", "type"),
    "path": ("file_path", "filepath", "filePath", "file"),
    "b64": ("base64", "data", "b64_content", "content_base64", "blob"),
}
_EXAMPLES = {
    "name": 'Give the file\'s name, for example "report.html".',
    "mime": 'Give the MIME type, for example "text/html".',
    "path": 'Give the path of the file, f"/tmp/{username}/…".',
}


def is_typed(node: Node) -> bool:
    """Tell whether an artifact is one of spec 5."""
    return node.text("type") is not None and not any(node.get(key) for key in ("b64", "path", "mime", "s3_ref"))


def artifacts_say_what_they_are(subject: Subject) -> Iterator[Finding]:
    """Name artifacts without name, MIME type or bytes; one finding for each that is missing."""
    for node in subject.artifacts:
        if is_typed(node):
            yield from _typed(node)
        else:
            yield from _required(node, "name", NAME)
            yield from _required(node, "mime", MIME)
        if all(node.get(key) is None for key in _BYTES):
            advice = _instead(node, "path") or _instead(node, "b64") or _EXAMPLES["path"]
            yield BYTES.error(node.where, f"{_label(node)} has neither `path` nor `b64`.", advice)


def deferred_say_what_they_are(subject: Subject) -> Iterator[Finding]:
    """Name deferred artifacts without name, MIME type or path."""
    for node in subject.deferred:
        yield from _required(node, "name", DEFERRED_NAME)
        yield from _required(node, "mime", DEFERRED_MIME)
        yield from _required(node, "path", DEFERRED_PATH)


def mime_types_are_some(subject: Subject) -> Iterator[Finding]:
    """Name MIME types of wrong form: such a file is taken for one of unknown type."""
    for node in (*subject.artifacts, *subject.deferred):
        mime = node.text("mime")
        if mime and not is_mime(mime):
            message = f"{quoted(mime)} is not a MIME type."
            yield MIME_FORM.error(f"{node.where}.mime", message, "Write type/subtype, for example text/csv.")
    for node in filter(is_typed, subject.artifacts):
        kind = node.text("type")
        if kind and not is_mime(kind):
            message = f"{quoted(kind)} is not a MIME type, so the file is taken for plain text."
            yield TYPE_FORM.warning(f"{node.where}.type", message, "Write type/subtype, for example text/markdown.")


def viewers_are_known(subject: Subject) -> Iterator[Finding]:
    """Name viewers that there are not: one is chosen by the MIME type then."""
    known = sorted(VIEWERS | {"auto"})
    for node in subject.artifacts:
        viewer = node.text("viewer")
        if viewer and viewer.lower() not in known:
            message = f"There is no viewer {quoted(viewer)}."
            yield VIEWER.warning(f"{node.where}.viewer", message, f"Use one of {', '.join(known)}, or none.")


def _typed(node: Node) -> Iterator[Finding]:
    missing = [key for key in ("id", "title") if not node.get(key) and not (key == "title" and node.get("name"))]
    if missing:
        message = f"The artifact has no {' and no '.join(f'`{key}`' for key in missing)}."
        yield TYPED.warning(node.where, message, "Give every typed artifact a unique id and a title.")


def _required(node: Node, key: str, clause: Clause) -> Iterator[Finding]:
    given = node.get(key)
    if given is None or (given.value == "" and key != "path"):  # an empty path is one that leads nowhere
        yield clause.error(node.where, f"{_label(node)} has no `{key}`.", _instead(node, key) or _EXAMPLES[key])


def _instead(node: Node, key: str) -> str | None:
    """Point at the field that was given in its place."""
    other = next((other for other in _OTHER_NAMES[key] if node.get(other)), None)
    return f"`{other}` is there; the field is called `{key}`." if other else None


def _label(node: Node) -> str:
    name = node.text("name") or node.text("title")
    return quoted(name) if name else "The file"
