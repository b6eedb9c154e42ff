"""Fields must have the types that the tables of the specifications give them (spec 2 §1 and §3; spec 3 §1.1, §6 to §8).

A field of a wrong type counts as not given, so what it says is lost. null counts as not given, too.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from local.lint.findings import Clause, Finding, quoted
from local.lint.subject import Node, Subject

FIELDS = Clause("v2.1:fields:types", "3 §1.1")
ARTIFACTS = Clause("v2.1:artifacts:types", "3 §6.1")
DEFERRED = Clause("v2.1:deferred:types", "3 §7.1")
DISPLAY = Clause("v2.1:display:types", "3 §8.1")
CANVAS = Clause("v2:canvas:types", "2 §3")


class Kind(NamedTuple):
    """A JSON type: its name, and the Python types of its values."""

    name: str
    types: tuple[type, ...]

    def fits(self, value: object) -> bool:
        """Tell whether a value is of it; Python's booleans are numbers, JSON's are not."""
        return isinstance(value, self.types) and (bool in self.types or not isinstance(value, bool))


TEXT = Kind("a text", (str,))
BOOLEAN = Kind("true or false", (bool,))
INTEGER = Kind("a whole number", (int,))
ARRAY = Kind("an array", (list, tuple))
OBJECT = Kind("an object", (Mapping,))

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
_FILE = {"name": TEXT, "mime": TEXT, "path": TEXT, "description": TEXT, "category": TEXT}
_ARTIFACT = _FILE | {"size": INTEGER, "viewer": TEXT, "auto_open": BOOLEAN}
_DEFERRED = _FILE | {"reason": TEXT, "next_actions": ARRAY}
_DISPLAY = {"open_canvas": BOOLEAN, "primary_file": TEXT, "category_hint": TEXT, "notification": TEXT}
_CANVAS = {"open": BOOLEAN, "id": TEXT, "type": TEXT, "url": TEXT, "token": TEXT, "title": TEXT}


def types(subject: Subject) -> Iterator[Finding]:
    """Name every field of a wrong type."""
    tables = (
        (FIELDS, _ENVELOPE, subject.objects),
        (ARTIFACTS, _ARTIFACT, subject.artifacts),
        (DEFERRED, _DEFERRED, subject.deferred),
        (DISPLAY, _DISPLAY, subject.given("display")),
        (CANVAS, _CANVAS, subject.given("canvas")),
    )
    for clause, table, nodes in tables:
        for node in nodes:
            yield from _wrong(clause, table, node)


def files_are_objects(subject: Subject) -> Iterator[Finding]:
    """Name every artifact that is no object: it is none."""
    for key, clause in (("artifacts", ARTIFACTS), ("deferred_artifacts", DEFERRED)):
        for item in (item for node in subject.objects for item in node.list_of(key)):
            if not item.is_object:
                yield clause.error(item.where, f"{quoted(item.value)} is not an object.", "Give name, mime and path.")


def _wrong(clause: Clause, table: Mapping[str, Kind], node: Node) -> Iterator[Finding]:
    for key, kind in table.items():
        field = node.get(key)
        if field and not kind.fits(field.value):
            message = f"`{key}` is {quoted(field.value)}, not {kind.name}."
            yield clause.error(field.where, message, f"Make it {kind.name}.")
