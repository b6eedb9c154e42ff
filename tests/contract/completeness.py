"""Check that every clause has its tests, and that every test mark and lint finding has its clause."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.contract.manifest import Clause, Kind, Specification, clauses_of
from tests.contract.marks import Mark

_ID = re.compile(r"(?P<version>v1|v2|v2\.1|v4|v5|mcp):[a-z]+(-[a-z]+)*:[a-z0-9]+(-[a-z0-9]+)*")
_SENTENCE = re.compile(r"[A-Z`$].*[^.]\.")


def find_problems(
    manifest: Sequence[Specification], marks: Sequence[Mark], lint_clauses: Mapping[str, str]
) -> list[str]:
    """Return one message for each problem, and an empty list if there is none.

    ``lint_clauses`` maps the ids of the clauses that lint findings name to their sections.
    """
    clauses = clauses_of(list(manifest))
    return [
        *_malformed(manifest),
        *_duplicates(clauses),
        *_wrongly_tested(clauses, marks),
        *_wrong_marks(clauses, marks),
        *_inconsistent_fields(clauses),
        *_lint_mismatches(clauses, lint_clauses),
    ]


def _malformed(manifest: Sequence[Specification]) -> Iterator[str]:
    for specification in manifest:
        for clause in specification.clauses:
            match = _ID.fullmatch(clause.id)
            if match is None or match["version"] != specification.version:
                yield f"{clause.id}: the id does not have the form {specification.version}:group:name"
            for sentence in (clause.sentence, clause.reason, clause.unit_reason):
                if sentence is not None and not _SENTENCE.fullmatch(sentence):
                    yield f"{clause.id}: {sentence!r} is not a sentence with a period"


def _duplicates(clauses: Sequence[Clause]) -> Iterator[str]:
    for counts in (Counter(clause.id for clause in clauses), Counter(clause.sentence for clause in clauses)):
        yield from (f"{text}: listed {count} times" for text, count in counts.items() if count > 1)


def _wrongly_tested(clauses: Sequence[Clause], marks: Sequence[Mark]) -> Iterator[str]:
    marked = {mark.clause for mark in marks}
    end_to_end = {mark.clause for mark in marks if mark.is_end_to_end}
    for clause in clauses:
        if clause.kind.needs_tests and clause.id not in marked:
            yield f"{clause.id}: no test is marked with this clause"
        if clause.kind is Kind.SUPERSEDED and clause.id in marked:
            yield f"{clause.id}: the clause has a test, so its kind cannot be {clause.kind}"
        if clause.kind is Kind.PRODUCT and clause.id not in end_to_end and clause.unit_reason is None:
            yield f"{clause.id}: the clause has neither an end-to-end test nor a unit_reason"
        if clause.id in end_to_end and clause.unit_reason is not None:
            yield f"{clause.id}: an end-to-end test proves the clause, so it needs no unit_reason"


def _wrong_marks(clauses: Sequence[Clause], marks: Sequence[Mark]) -> Iterator[str]:
    known = {clause.id for clause in clauses}
    for mark, count in Counter(marks).items():
        if mark.clause not in known:
            yield f"{mark.file}::{mark.test}: there is no clause {mark.clause}"
        if count > 1:
            yield f"{mark.file}::{mark.test}: marked with {mark.clause} {count} times"


def _inconsistent_fields(clauses: Sequence[Clause]) -> Iterator[str]:
    current = {clause.id for clause in clauses if clause.kind is not Kind.SUPERSEDED}
    for clause in clauses:
        if (clause.kind is Kind.SUPERSEDED) != (clause.superseded_by is not None):
            yield f"{clause.id}: superseded clauses, and no others, must set superseded_by"
        if clause.superseded_by is not None and clause.superseded_by not in current:
            yield f"{clause.id}: superseded_by names no current clause: {clause.superseded_by}"
        if (clause.kind is Kind.DEVIATION) != (clause.reason is not None):
            yield f"{clause.id}: clauses of the kind deviation, and no others, must set reason"
        if clause.kind is not Kind.PRODUCT and clause.unit_reason is not None:
            yield f"{clause.id}: only clauses of the kind product may set unit_reason"


def _lint_mismatches(clauses: Sequence[Clause], lint_clauses: Mapping[str, str]) -> Iterator[str]:
    sections = {clause.id: clause.section for clause in clauses if clause.kind.needs_tests}
    for clause_id, section in lint_clauses.items():
        if sections.get(clause_id) != section:
            yield f"{clause_id}: the section is {section} in satchel lint and {sections.get(clause_id)} in the manifest"
    for clause in clauses:
        if clause.kind is Kind.AUTHOR and clause.id not in lint_clauses:
            yield f"{clause.id}: satchel lint does not check this clause"
