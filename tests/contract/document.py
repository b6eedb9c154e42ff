"""`docs/requirements.md`: the manifest to read, with the tests of every clause.

`python -m tests.contract.document` writes it.
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

Every clause of the five specifications, by id, with the tests that prove it. This page is made of
`tests/contract/clauses/` and of the marks in the tests (`.venv/bin/python -m tests.contract.document`); a test compares
them, and fails where a clause has no test, a test has no clause, or this page tells otherwise.

Where specifications disagree, 3 (v2.1) wins over 2 and 1, and 2 over 1; 4 and 5 add to them. What is said alike in
several of them is listed once. Duties of authors that no program can see in an output are not listed.
"""
_TITLES = {
    Kind.PRODUCT: "What Satchel keeps",
    Kind.AUTHOR: "What tool authors keep, and `satchel lint` looks for",
    Kind.NOT_YET: "Not yet",
    Kind.SUPERSEDED: "Superseded",
}


def document(manifest: Sequence[Specification], marks: Sequence[Mark]) -> str:
    """Return the page."""
    return "\n".join([_HEAD, *_counts(manifest), "", *(line for one in manifest for line in _chapter(one, marks))])


def _counts(manifest: Sequence[Specification]) -> Iterator[str]:
    clauses = clauses_of(list(manifest))
    for kind, title in _TITLES.items():
        yield f"- {title}: {sum(clause.kind is kind for clause in clauses)}"


def _chapter(specification: Specification, marks: Sequence[Mark]) -> Iterator[str]:
    tests = defaultdict(list)
    for mark in marks:
        tests[mark.clause].append(mark)
    yield from (f"## Spec {specification.number} ({specification.version}): {specification.title}", "")
    for kind, clauses in groupby(specification.clauses, key=lambda clause: clause.kind):
        yield from (f"### {_TITLES[kind]}", "")
        for clause in clauses:
            yield f"- `{clause.id}` ({clause.place}): {clause.sentence}"
            yield from (f"  - {detail}" for detail in _details(clause, tests[clause.id]))
        yield ""


def _details(clause: Clause, marks: Sequence[Mark]) -> Iterator[str]:
    if clause.reason:
        yield clause.reason
    if clause.winner:
        yield f"`{clause.winner}` wins."
    for mark in marks:
        yield f"[{mark.test}](../tests/{mark.file})"


if __name__ == "__main__":
    DOCUMENT.write_text(document(read_manifest(), find_marks()), "utf-8")
