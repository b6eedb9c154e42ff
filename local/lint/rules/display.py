"""How files are to be shown (spec 2 §1 and §3; spec 3 §8.1)."""

from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.subject import Subject
from satchel.contract.media_types import VIEWERS

PRIMARY = Clause("v2:display:primary-file", "2 §2")
MODE = Clause("v2.1:display:mode", "3 §8.1")
VIEWER = Clause("v2:display:viewer-hint", "2 §1")
STORAGE = Clause("v2.1:display:storage-action", "3 §8.1")
CANVAS_MODE = Clause("v2:canvas:mode", "2 §3")
PERSISTENCE = Clause("v2:canvas:persistence", "2 §3")

_MODES = ("replace", "append", "split")
_VALUES = {
    ("display", "mode"): (MODE, _MODES),
    ("display", "viewer_hint"): (VIEWER, ("auto", *sorted(VIEWERS))),
    ("display", "storage_action"): (STORAGE, ("store", "store_and_open", "temporary")),
    ("canvas", "mode"): (CANVAS_MODE, _MODES),
    ("canvas", "persistence"): (PERSISTENCE, ("session", "ephemeral", "pinned")),
}


def primary_file_is_there(subject: Subject) -> Iterator[Finding]:
    """Name a `primary_file` that is no artifact: the first one that can be shown is shown then."""
    titles = {node.text("title") for node in subject.artifacts}
    for node in subject.given("display", "primary_file"):
        if isinstance(node.value, str) and node.value not in subject.names | titles:
            message = f"No artifact is called {quoted(node.value)}."
            names = ", ".join(map(quoted, sorted(subject.names)[:5]))
            yield PRIMARY.error(node.where, message, f"Use one of {names}." if names else "Return the artifact, too.")


def values_are_known(subject: Subject) -> Iterator[Finding]:
    """Name values that nobody understands; they count as not given."""
    for path, (clause, known) in _VALUES.items():
        for node in subject.given(*path):
            if node.value not in known:
                message = f"There is no {' '.join(path)} {quoted(node.value)}."
                yield clause.error(node.where, message, f"Use one of {', '.join(known)}.")
