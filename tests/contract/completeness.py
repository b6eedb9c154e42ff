"""Whether clauses and tests are complete both ways."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.contract.manifest import Clause, Kind, Specification, clauses_of
from tests.contract.marks import Mark

_ID = re.compile(r"(?P<version>v1|v2|v2\.1|v4|v5|mcp):[a-z]+(-[a-z]+)*:[a-z0-9]+(-[a-z0-9]+)*")
_SENTENCE = re.compile(r"[A-Z`$].*[^.]\.")


def problems(manifest: Sequence[Specification], marks: Sequence[Mark], linted: Mapping[str, str]) -> list[str]:
    """Say all that is wrong; nothing where every clause has its tests, and every test and every finding its clause."""
    clauses = clauses_of(list(manifest))
    return [
        *_malformed(manifest),
        *_twice(clauses),
        *_unproved(clauses, marks),
        *_unknown(clauses, marks),
        *_without_winner(clauses),
        *_not_as_linted(clauses, linted),
    ]


def _malformed(manifest: Sequence[Specification]) -> Iterator[str]:
    for specification in manifest:
        for clause in specification.clauses:
            found = _ID.fullmatch(clause.id)
            if found is None or found["version"] != specification.version:
                yield f"{clause.id}: the id is not {specification.version}:group:name"
            for sentence in (clause.sentence, clause.reason):
                if sentence is not None and not _SENTENCE.fullmatch(sentence):
                    yield f"{clause.id}: {sentence!r} is not a sentence with its full stop"


def _twice(clauses: Sequence[Clause]) -> Iterator[str]:
    for what in (Counter(clause.id for clause in clauses), Counter(clause.sentence for clause in clauses)):
        yield from (f"{said}: listed {count} times" for said, count in what.items() if count > 1)


def _unproved(clauses: Sequence[Clause], marks: Sequence[Mark]) -> Iterator[str]:
    proved = {mark.clause for mark in marks}
    for clause in clauses:
        if clause.kind.tested and clause.id not in proved:
            yield f"{clause.id}: no test is marked with it"
        if not clause.kind.tested and clause.id in proved:
            yield f"{clause.id}: has a test, so it is not {clause.kind} any more"


def _unknown(clauses: Sequence[Clause], marks: Sequence[Mark]) -> Iterator[str]:
    known = {clause.id for clause in clauses}
    for mark, count in Counter(marks).items():
        if mark.clause not in known:
            yield f"{mark.file}::{mark.test}: there is no clause {mark.clause}"
        if count > 1:
            yield f"{mark.file}::{mark.test}: marked with {mark.clause} {count} times"


def _without_winner(clauses: Sequence[Clause]) -> Iterator[str]:
    kept = {clause.id for clause in clauses if clause.kind is not Kind.SUPERSEDED}
    for clause in clauses:
        if (clause.kind is Kind.SUPERSEDED) != (clause.winner is not None):
            yield f"{clause.id}: a clause has a winner if it is superseded, and only then"
        if clause.winner is not None and clause.winner not in kept:
            yield f"{clause.id}: there is no clause {clause.winner} that could win"
        if (clause.kind is Kind.NOT_YET) != (clause.reason is not None):
            yield f"{clause.id}: a clause has a reason if it is not kept yet, and only then"


def _not_as_linted(clauses: Sequence[Clause], linted: Mapping[str, str]) -> Iterator[str]:
    tested = {clause.id: clause.place for clause in clauses if clause.kind.tested}
    for name, place in linted.items():
        if tested.get(name) != place:
            yield f"{name}: satchel lint says that it stands in {place}, the manifest says {tested.get(name)}"
    for clause in clauses:
        if clause.kind is Kind.AUTHOR and clause.id not in linted:
            yield f"{clause.id}: satchel lint does not look for it"
