"""Write `docs/requirements.md`: all clauses with their tests.

Run it with `python -m tests.contract.document`.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from tests.contract.manifest import Clause, Kind, Specification, clauses_of, read_manifest
from tests.contract.marks import Mark, find_marks

DOCUMENT = Path(__file__).parents[2] / "docs" / "requirements.md"

_HEAD = """\
# Requirements

Every clause of the five specifications, by id, with the tests that prove it. This page is generated from
`tests/contract/clauses/` and the marks in the tests (`.venv/bin/python -m tests.contract.document`). A test compares
them: it fails if a clause has no test, if a mark names no clause, or if this page is out of date.

If specifications disagree, 3 (v2.1) takes precedence over 2 and 1, and 2 over 1; 4 and 5 add to them. A clause that
several of them contain is listed once. Duties of authors that a program cannot check in an output are not listed.
"""
_TITLES = {
    Kind.PRODUCT: "Implemented by Satchel",
    Kind.AUTHOR: "Duties of tool authors, checked by `satchel lint`",
    Kind.NOT_YET: "Not implemented yet",
    Kind.SUPERSEDED: "Superseded",
}


def render(manifest: Sequence[Specification], marks: Sequence[Mark]) -> str:
    """Return the page."""
    return "\n".join([_HEAD, *_counts(manifest), "", *(line for one in manifest for line in _chapter(one, marks))])


def _counts(manifest: Sequence[Specification]) -> Iterator[str]:
    clauses = clauses_of(list(manifest))
    for kind, title in _TITLES.items():
        yield f"- {title}: {sum(clause.kind is kind for clause in clauses)}"


def _chapter(specification: Specification, marks: Sequence[Mark]) -> Iterator[str]:
    marks_by_clause = defaultdict(list)
    for mark in marks:
        marks_by_clause[mark.clause].append(mark)
    yield from (f"## Spec {specification.number} ({specification.version}): {specification.title}", "")
    for kind, clauses in groupby(specification.clauses, key=lambda clause: clause.kind):
        yield from (f"### {_TITLES[kind]}", "")
        for clause in clauses:
            yield f"- `{clause.id}` ({clause.section}): {clause.sentence}"
            yield from (f"  - {detail}" for detail in _details(clause, marks_by_clause[clause.id]))
        yield ""


def _details(clause: Clause, marks: Sequence[Mark]) -> Iterator[str]:
    if clause.reason:
        yield clause.reason
    if clause.superseded_by:
        yield f"Superseded by `{clause.superseded_by}`."
    for mark in marks:
        yield f"[{mark.test}](../tests/{mark.file})"


if __name__ == "__main__":
    DOCUMENT.write_text(render(read_manifest(), find_marks()), "utf-8")
