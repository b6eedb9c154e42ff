"""Lint rules for the types and values of the contract's fields.

A field of the wrong type or with an unknown value is ignored, so its content is lost. The contract treats null as a
missing field.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from local.lint.findings import Clause, Finding, quoted
from local.lint.tool_output import Node, ToolOutput
from satchel.contract.media_types import VIEWERS
from satchel.contract.shapes.extractors import find_dashboard

FIELD_TYPES = Clause("v2.1:fields:types", "3 §1.1")
ARTIFACT_TYPES = Clause("v2.1:artifacts:types", "3 §6.1")
DEFERRED_TYPES = Clause("v2.1:deferred:types", "3 §7.1")
DISPLAY_TYPES = Clause("v2.1:display:types", "3 §8.1")
CANVAS_TYPES = Clause("v2:canvas:types", "2 §3")
PRIMARY_FILE = Clause("v2:display:primary-file", "2 §2")
DISPLAY_IFRAME = Clause("v2:display:iframe", "2 §3")
DISPLAY_MODE = Clause("v2.1:display:mode", "3 §8.1")
VIEWER_HINT = Clause("v2:display:viewer-hint", "2 §1")
STORAGE_ACTION = Clause("v2.1:display:storage-action", "3 §8.1")
CANVAS_MODE = Clause("v2:canvas:mode", "2 §3")
PERSISTENCE = Clause("v2:canvas:persistence", "2 §3")


class JsonType(NamedTuple):
    """A JSON type: its name in messages, and the Python types of its values."""

    name: str
    types: tuple[type, ...]

    def matches(self, value: object) -> bool:
        """Return True if the value has this type. Unlike in Python, a JSON boolean is not an integer."""
        return isinstance(value, self.types) and (bool in self.types or not isinstance(value, bool))


STRING = JsonType("a string", (str,))
BOOLEAN = JsonType("a boolean", (bool,))
INTEGER = JsonType("an integer", (int,))
ARRAY = JsonType("an array", (list, tuple))
OBJECT = JsonType("an object", (Mapping,))

_ENVELOPE = {
    "meta_data": OBJECT,
    "meta-data": OBJECT,
    "retryable": BOOLEAN,
    "artifacts": ARRAY,
    "deferred_artifacts": ARRAY,
    "display": OBJECT,
    "canvas": OBJECT,
    "returned_file_names": ARRAY,
    "returned_file_contents": ARRAY,
    "bibliography": ARRAY,
    "grantMarkdown": OBJECT,
}
_FILE = {"name": STRING, "mime": STRING, "path": STRING, "description": STRING, "category": STRING}
_ARTIFACT = _FILE | {"size": INTEGER, "viewer": STRING, "auto_open": BOOLEAN}
_DEFERRED = _FILE | {"reason": STRING, "next_actions": ARRAY}
_DISPLAY = {"open_canvas": BOOLEAN, "primary_file": STRING, "category_hint": STRING, "notification": STRING}
_CANVAS = {"open": BOOLEAN, "id": STRING, "type": STRING, "url": STRING, "token": STRING, "title": STRING}

_MODES = ("replace", "append", "split")
_VALUES = {
    ("display", "mode"): (DISPLAY_MODE, _MODES),
    ("display", "viewer_hint"): (VIEWER_HINT, ("auto", *sorted(VIEWERS))),
    ("display", "storage_action"): (STORAGE_ACTION, ("store", "store_and_open", "temporary")),
    ("canvas", "mode"): (CANVAS_MODE, _MODES),
    ("canvas", "persistence"): (PERSISTENCE, ("session", "ephemeral", "pinned")),
}


def check_types(output: ToolOutput) -> Iterator[Finding]:
    """Report each field of the contract whose value has the wrong type."""
    tables = (
        (FIELD_TYPES, _ENVELOPE, output.contract_objects),
        (ARTIFACT_TYPES, _ARTIFACT, output.artifacts),
        (DEFERRED_TYPES, _DEFERRED, output.deferred),
        (DISPLAY_TYPES, _DISPLAY, output.fields_at("display")),
        (CANVAS_TYPES, _CANVAS, output.fields_at("canvas")),
    )
    for clause, types, nodes in tables:
        for node in nodes:
            yield from _wrong_types(clause, types, node)


def check_files_are_objects(output: ToolOutput) -> Iterator[Finding]:
    """Report each artifact that is not a JSON object, because Satchel ignores such an artifact."""
    for key, clause in (("artifacts", ARTIFACT_TYPES), ("deferred_artifacts", DEFERRED_TYPES)):
        for item in (item for node in output.contract_objects for item in node.items_of(key)):
            if not item.is_object:
                message = f"{quoted(item.value)} is not an object."
                yield clause.error(item.json_path, message, "Return an object with name, mime and path.")


def check_primary_file(output: ToolOutput) -> Iterator[Finding]:
    """Report a ``primary_file`` that names no artifact. The web client then opens the first file that it can show."""
    titles = {node.text("title") for node in output.artifacts}
    for node in output.fields_at("display", "primary_file"):
        if isinstance(node.value, str) and node.value not in output.file_names | titles:
            message = f"No artifact is named {quoted(node.value)}."
            names = ", ".join(map(quoted, sorted(output.file_names)[:5]))
            advice = f"Use one of {names}." if names else "Return the file as an artifact, too."
            yield PRIMARY_FILE.error(node.json_path, message, advice)


def check_known_values(output: ToolOutput) -> Iterator[Finding]:
    """Report fields with a value that the contract does not define, because Satchel ignores such a field."""
    for keys, (clause, known) in _VALUES.items():
        for node in output.fields_at(*keys):
            if node.value not in known:
                message = f"{quoted(node.value)} is not a known value of `{'.'.join(keys)}`."
                yield clause.error(node.json_path, message, f"Use one of {', '.join(known)}.")


def check_dashboard_in_display(output: ToolOutput) -> Iterator[Finding]:
    """Report a dashboard in ``display``, as older tools return it. It still works, but newer tools use ``canvas``."""
    for node in output.contract_objects:
        if find_dashboard(node.fields):
            advice = "Return `canvas` with `id`, `url` and `title` instead."
            yield DISPLAY_IFRAME.note(f"{node.json_path}.display", "The dashboard is in `display`.", advice)


def _wrong_types(clause: Clause, types: Mapping[str, JsonType], node: Node) -> Iterator[Finding]:
    for key, json_type in types.items():
        field = node.get(key)
        if field and not json_type.matches(field.value):
            message = f"`{key}` is {quoted(field.value)}, not {json_type.name}."
            yield clause.error(field.json_path, message, f"Change it to {json_type.name}.")
