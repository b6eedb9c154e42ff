"""Write `docs/requirements.md`: all clauses with their tests.

Run it with `python -m tests.contract.document`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from tests.contract.manifest import Clause, Kind, Specification, clauses_of, read_manifest
from tests.contract.marks import Mark, find_marks

Marks = Mapping[str, Sequence[Mark]]
"""The marks by clause id."""

DOCUMENT = Path(__file__).parents[2] / "docs" / "requirements.md"

_HEAD = """\
# Requirements

Every clause of the five specifications, by id, with the tests that prove it. This page is generated from
`tests/contract/clauses/` and the marks in the tests (`.venv/bin/python -m tests.contract.document`). A test compares
them: it fails if a clause has no test, if a mark names no clause, or if this page is out of date.

A clause is kept end to end if a test proves it through the running system: its HTTP API, the requests that its model
receives, or its page in a browser. The other clauses that Satchel keeps say why a test below the system proves them.

If specifications disagree, 3 (v2.1) takes precedence over 2 and 1, and 2 over 1; 4 and 5 add to them. A clause that
several of them contain is listed once. Duties of authors that a program cannot check in an output are not listed.
"""


class State(StrEnum):
    """The state of a clause, as the page names it."""

    END_TO_END = "Kept end to end"
    UNIT = "Kept at unit level"
    DEVIATION = "Deviations, with their reasons"
    AUTHOR = "Duties of tool authors, checked by `satchel lint`"
    SUPERSEDED = "Superseded"


def render(manifest: Sequence[Specification], marks: Sequence[Mark]) -> str:
    """Return the page."""
    marks_by_clause = defaultdict(list)
    for mark in marks:
        marks_by_clause[mark.clause].append(mark)
    chapters = (line for one in manifest for line in _chapter(one, marks_by_clause))
    return "\n".join([_HEAD, *_counts(clauses_of(list(manifest)), marks_by_clause), "", *chapters])


def _counts(clauses: Sequence[Clause], marks: Marks) -> Iterator[str]:
    states = [_state(clause, marks) for clause in clauses]
    yield from (f"- {state}: {states.count(state)}" for state in State)


def _state(clause: Clause, marks: Marks) -> State:
    if clause.kind is not Kind.PRODUCT:
        return State[clause.kind.name]
    return State.END_TO_END if any(mark.is_end_to_end for mark in marks.get(clause.id, ())) else State.UNIT


def _chapter(specification: Specification, marks: Marks) -> Iterator[str]:
    yield from (f"## Spec {specification.number} ({specification.version}): {specification.title}", "")
    for state in State:
        clauses = [clause for clause in specification.clauses if _state(clause, marks) is state]
        if clauses:
            yield from (f"### {state}", "")
            yield from (line for clause in clauses for line in _entry(clause, marks.get(clause.id, ())))
            yield ""


def _entry(clause: Clause, marks: Sequence[Mark]) -> Iterator[str]:
    yield f"- `{clause.id}` ({clause.section}): {clause.sentence}"
    yield from (f"  - {detail}" for detail in _details(clause, marks))


def _details(clause: Clause, marks: Sequence[Mark]) -> Iterator[str]:
    if reason := clause.reason or clause.unit_reason:
        yield reason
    if clause.superseded_by:
        yield f"Superseded by `{clause.superseded_by}`."
    for mark in marks:
        yield f"[{mark.test}](../tests/{mark.file})"


if __name__ == "__main__":
    DOCUMENT.write_text(render(read_manifest(), find_marks()), "utf-8")
