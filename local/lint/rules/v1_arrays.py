"""The two arrays of the first contract: same order, same length (spec 1; spec 2 §1 and §9)."""

from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.subject import Node, Subject

SAME_LENGTH = Clause("v1:files:same-length", "1 Implementation Checklist")
NAMES = Clause("v1:files:names", "1 Optional Fields")
CONTENT = Clause("v1:files:content", "1 Optional Fields")
ARTIFACTS_WIN = Clause("v2:files:artifacts-win", "2 §1")
PHASED_OUT = Clause("v2:files:phased-out", "2 §1")

_NAMES = "returned_file_names"
_CONTENTS = "returned_file_contents"
_MIGRATE = "Return `artifacts` with `name`, `mime` and `path`."


def same_length(subject: Subject) -> Iterator[Finding]:
    """Name arrays of different length. What is no array is told as a wrong type."""
    for node in _counting(subject):
        names, contents = node.list_of(_NAMES), node.list_of(_CONTENTS)
        arrays = all(isinstance(node.fields.get(key), list | tuple | None) for key in (_NAMES, _CONTENTS))
        if arrays and len(names) != len(contents) and not _name_themselves(node):
            message = f"There are {len(names)} names, but {len(contents)} contents."
            yield SAME_LENGTH.error(f"{node.where}.{_CONTENTS}", message, "Give both arrays in the same order.")


def items_are_right(subject: Subject) -> Iterator[Finding]:
    """Name names that are no texts, and contents that are neither base64 nor an object with it."""
    for node in _counting(subject):
        for item in node.list_of(_NAMES):
            if not isinstance(item.value, str) or not item.value:
                yield NAMES.error(item.where, f"{quoted(item.value)} is not a file name.", "Give a text.")
        for item in node.list_of(_CONTENTS):
            if not isinstance(item.value, str) and item.get("b64") is None:
                message = f"{quoted(item.value)} has no base64."
                yield CONTENT.error(item.where, message, 'Give base64, or {"name": …, "b64": …}.')


def artifacts_win(subject: Subject) -> Iterator[Finding]:
    """Name arrays beside `artifacts`: what is in them alone is lost."""
    for node in subject.objects:
        if _has_arrays(node) and node.get("artifacts"):
            message = "Beside `artifacts`, the arrays of the first contract are ignored."
            yield ARTIFACTS_WIN.warning(f"{node.where}.{_first(node)}", message, "Leave them out.")


def phased_out(subject: Subject) -> Iterator[Finding]:
    """Note that the arrays will go one day."""
    for node in _counting(subject):
        message = "The arrays of the first contract are being phased out."
        yield PHASED_OUT.note(f"{node.where}.{_first(node)}", message, _MIGRATE)


def inline_contents(subject: Subject) -> Iterator[Node]:
    """Give all that should be base64 in the arrays."""
    for node in _counting(subject):
        for item in node.list_of(_CONTENTS):
            encoded = item.get("b64") if item.is_object else item
            if encoded and (item.is_object or isinstance(item.value, str)):
                yield encoded


def _counting(subject: Subject) -> list[Node]:
    """Return the objects whose arrays count."""
    return [node for node in subject.objects if _has_arrays(node) and node.get("artifacts") is None]


def _has_arrays(node: Node) -> bool:
    return node.get(_NAMES) is not None or node.get(_CONTENTS) is not None


def _first(node: Node) -> str:
    return _NAMES if node.get(_NAMES) else _CONTENTS


def _name_themselves(node: Node) -> bool:
    """Tell whether the contents know their own names, and so need no second array."""
    return node.get(_NAMES) is None and all(item.text("name") for item in node.list_of(_CONTENTS))
