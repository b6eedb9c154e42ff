"""Each kind of problem in a manifest is reported."""

from dataclasses import replace

import pytest

from tests.contract.completeness import find_problems
from tests.contract.manifest import Clause, Kind, Specification
from tests.contract.marks import Mark

PRODUCT = Clause("v1:a:product", "1 Contract", "Satchel does it.", Kind.PRODUCT)
AUTHOR = Clause("v1:a:author", "1 Contract", "Authors do it.", Kind.AUTHOR)
DEVIATION = Clause("v1:a:other", "1 Contract", "All may do it.", Kind.DEVIATION, reason="It would be unsafe.")
SUPERSEDED = Clause("v1:a:old", "1 Contract", "Satchel did it.", Kind.SUPERSEDED, superseded_by="v1:a:product")
UNIT = replace(PRODUCT, unit_reason="Only a fault of the disk shows it.")
ALL = (PRODUCT, AUTHOR, DEVIATION, SUPERSEDED)
LINT_CLAUSES = {"v1:a:author": "1 Contract"}


def mark(clause: str, test: str = "test_a", file: str = "e2e/test_a.py") -> Mark:
    return Mark(file, test, clause)


MARKS = (mark("v1:a:product"), mark("v1:a:author"))


def problems(
    *clauses: Clause, marks: tuple[Mark, ...] = MARKS, lint: dict[str, str] = LINT_CLAUSES, version: str = "v1"
) -> list[str]:
    return find_problems([Specification(1, version, "One", clauses)], marks, lint)


def test_complete_manifest_has_no_problems() -> None:
    assert problems(*ALL) == []


def test_clause_without_test_is_reported() -> None:
    assert problems(UNIT, *ALL[1:], marks=(mark("v1:a:author"),)) == [
        "v1:a:product: no test is marked with this clause"
    ]
    assert problems(*ALL, marks=(mark("v1:a:product"),)) == ["v1:a:author: no test is marked with this clause"]


def test_mark_without_clause_is_reported() -> None:
    assert problems(*ALL, marks=(*MARKS, mark("v1:a:typo"))) == ["e2e/test_a.py::test_a: there is no clause v1:a:typo"]


def test_duplicate_mark_on_one_test_is_reported() -> None:
    assert problems(*ALL, marks=(*MARKS, mark("v1:a:product"))) == [
        "e2e/test_a.py::test_a: marked with v1:a:product 2 times"
    ]
    assert problems(*ALL, marks=(*MARKS, mark("v1:a:product", "test_b"))) == []


@pytest.mark.parametrize("file", ["unit/test_a.py", "integration/http/test_a.py"])
def test_clause_without_end_to_end_test_is_reported_unless_it_gives_the_reason(file: str) -> None:
    marks = (mark("v1:a:product", file=file), mark("v1:a:author"))
    assert problems(*ALL, marks=marks) == ["v1:a:product: the clause has neither an end-to-end test nor a unit_reason"]
    assert problems(UNIT, *ALL[1:], marks=marks) == []


def test_unit_reason_of_a_clause_with_end_to_end_test_is_reported() -> None:
    assert problems(UNIT, *ALL[1:]) == [
        "v1:a:product: an end-to-end test proves the clause, so it needs no unit_reason"
    ]


def test_unit_reason_of_another_kind_is_reported() -> None:
    author = replace(AUTHOR, unit_reason="Lint reads outputs.")
    assert problems(PRODUCT, author, marks=(MARKS[0], mark("v1:a:author", file="unit/test_a.py"))) == [
        "v1:a:author: only clauses of the kind product may set unit_reason"
    ]


def test_deviation_may_have_tests() -> None:
    assert problems(*ALL, marks=(*MARKS, mark("v1:a:other"))) == []


def test_tested_clause_of_kind_superseded_is_reported() -> None:
    assert problems(*ALL, marks=(*MARKS, mark("v1:a:old"))) == [
        "v1:a:old: the clause has a test, so its kind cannot be superseded"
    ]


@pytest.mark.parametrize("clause_id", ["v1:a", "a:b:c", "v3:a:b", "v1:A:b", "v1:a:b_c", "v1:a:b:c", "v1:a:", "v1:a:-b"])
def test_malformed_id_is_reported(clause_id: str) -> None:
    malformed = Clause(clause_id, "1 Contract", "It is odd.", Kind.PRODUCT)
    assert problems(*ALL, malformed, marks=(*MARKS, mark(clause_id))) == [
        f"{clause_id}: the id does not have the form v1:group:name"
    ]


def test_id_of_another_specification_is_reported() -> None:
    assert problems(PRODUCT, marks=(mark("v1:a:product"),), lint={}, version="v2") == [
        "v1:a:product: the id does not have the form v2:group:name"
    ]


@pytest.mark.parametrize("sentence", ["It works", "it works.", "It works..", "", "."])
def test_text_that_is_not_a_sentence_is_reported(sentence: str) -> None:
    odd = Clause("v1:a:odd", "1 Contract", sentence, Kind.PRODUCT)
    assert problems(*ALL, odd, marks=(*MARKS, mark("v1:a:odd"))) == [
        f"v1:a:odd: {sentence!r} is not a sentence with a period"
    ]


def test_duplicate_id_and_sentence_are_reported() -> None:
    assert problems(*ALL, PRODUCT) == ["v1:a:product: listed 2 times", "Satchel does it.: listed 2 times"]


def test_missing_reason_and_missing_replacement_are_reported() -> None:
    superseded = Clause("v1:a:old", "1 Contract", "Satchel did it.", Kind.SUPERSEDED)
    deviation = replace(DEVIATION, reason=None)
    assert problems(PRODUCT, AUTHOR, deviation, superseded) == [
        "v1:a:other: clauses of the kind deviation, and no others, must set reason",
        "v1:a:old: superseded clauses, and no others, must set superseded_by",
    ]


@pytest.mark.parametrize("replacement", ["v1:a:gone", "v1:a:old"])
def test_replacement_that_is_not_a_current_clause_is_reported(replacement: str) -> None:
    superseded = Clause("v1:a:old", "1 Contract", "Satchel did it.", Kind.SUPERSEDED, superseded_by=replacement)
    assert problems(PRODUCT, AUTHOR, DEVIATION, superseded) == [
        f"v1:a:old: superseded_by names no current clause: {replacement}"
    ]


def test_lint_clause_with_unknown_id_or_other_section_is_reported() -> None:
    assert problems(*ALL, lint=LINT_CLAUSES | {"v1:a:product": "1 Contract", "v1:a:new": "1 Edge Cases"}) == [
        "v1:a:new: the section is 1 Edge Cases in satchel lint and None in the manifest"
    ]
    assert problems(*ALL, lint={"v1:a:author": "1 Edge Cases"}) == [
        "v1:a:author: the section is 1 Edge Cases in satchel lint and 1 Contract in the manifest"
    ]


def test_author_clause_that_lint_does_not_check_is_reported() -> None:
    assert problems(*ALL, lint={}) == ["v1:a:author: satchel lint does not check this clause"]
