"""What is wrong with a manifest is said, each time."""

import pytest

from tests.contract.completeness import problems
from tests.contract.manifest import Clause, Kind, Specification
from tests.contract.marks import Mark

KEPT = Clause("v1:a:kept", "1 Contract", "It is kept.", Kind.PRODUCT)
DUTY = Clause("v1:a:duty", "1 Contract", "Authors keep it.", Kind.AUTHOR)
LATER = Clause("v1:a:later", "1 Contract", "It will be kept.", Kind.NOT_YET, reason="It is not built yet.")
OLD = Clause("v1:a:old", "1 Contract", "It was kept.", Kind.SUPERSEDED, winner="v1:a:kept")
ALL = (KEPT, DUTY, LATER, OLD)
LINTED = {"v1:a:duty": "1 Contract"}


def mark(clause: str, test: str = "test_a") -> Mark:
    return Mark("unit/test_a.py", test, clause)


MARKS = (mark("v1:a:kept"), mark("v1:a:duty"))


def said(
    *clauses: Clause, marks: tuple[Mark, ...] = MARKS, linted: dict[str, str] = LINTED, version: str = "v1"
) -> list[str]:
    return problems([Specification(1, version, "One", clauses)], marks, linted)


def test_nothing_is_wrong_with_a_complete_one() -> None:
    assert said(*ALL) == []


def test_a_clause_without_a_test_is_named() -> None:
    assert said(*ALL, marks=(mark("v1:a:duty"),)) == ["v1:a:kept: no test is marked with it"]
    assert said(*ALL, marks=(mark("v1:a:kept"),)) == ["v1:a:duty: no test is marked with it"]


def test_a_mark_without_a_clause_is_named() -> None:
    assert said(*ALL, marks=(*MARKS, mark("v1:a:typo"))) == ["unit/test_a.py::test_a: there is no clause v1:a:typo"]


def test_a_mark_that_is_there_twice_is_named() -> None:
    assert said(*ALL, marks=(*MARKS, mark("v1:a:kept"))) == ["unit/test_a.py::test_a: marked with v1:a:kept 2 times"]
    assert said(*ALL, marks=(*MARKS, mark("v1:a:kept", "test_b"))) == []


def test_a_clause_that_was_built_has_to_be_moved() -> None:
    assert said(*ALL, marks=(*MARKS, mark("v1:a:later"))) == ["v1:a:later: has a test, so it is not not_yet any more"]


def test_a_superseded_clause_has_no_test() -> None:
    assert said(*ALL, marks=(*MARKS, mark("v1:a:old"))) == ["v1:a:old: has a test, so it is not superseded any more"]


@pytest.mark.parametrize("name", ["v1:a", "a:b:c", "v3:a:b", "v1:A:b", "v1:a:b_c", "v1:a:b:c", "v1:a:", "v1:a:-b"])
def test_an_id_of_another_form_is_named(name: str) -> None:
    odd = Clause(name, "1 Contract", "It is odd.", Kind.PRODUCT)
    assert said(*ALL, odd, marks=(*MARKS, mark(name))) == [f"{name}: the id is not v1:group:name"]


def test_an_id_of_another_specification_is_named() -> None:
    assert said(KEPT, marks=(mark("v1:a:kept"),), linted={}, version="v2") == ["v1:a:kept: the id is not v2:group:name"]


@pytest.mark.parametrize("sentence", ["It is kept", "it is kept.", "It is kept..", "", "."])
def test_what_is_no_sentence_is_named(sentence: str) -> None:
    odd = Clause("v1:a:odd", "1 Contract", sentence, Kind.PRODUCT)
    assert said(*ALL, odd, marks=(*MARKS, mark("v1:a:odd"))) == [
        f"v1:a:odd: {sentence!r} is not a sentence with its full stop"
    ]


def test_what_is_listed_twice_is_named() -> None:
    assert said(*ALL, KEPT) == ["v1:a:kept: listed 2 times", "It is kept.: listed 2 times"]


def test_what_is_missing_in_a_superseded_or_a_later_clause_is_named() -> None:
    old = Clause("v1:a:old", "1 Contract", "It was kept.", Kind.SUPERSEDED)
    later = Clause("v1:a:later", "1 Contract", "It will be kept.", Kind.NOT_YET)
    assert said(KEPT, DUTY, later, old) == [
        "v1:a:later: a clause has a reason if it is not kept yet, and only then",
        "v1:a:old: a clause has a winner if it is superseded, and only then",
    ]


@pytest.mark.parametrize("winner", ["v1:a:gone", "v1:a:old"])
def test_a_winner_must_be_a_clause_that_is_kept(winner: str) -> None:
    old = Clause("v1:a:old", "1 Contract", "It was kept.", Kind.SUPERSEDED, winner=winner)
    assert said(KEPT, DUTY, LATER, old) == [f"v1:a:old: there is no clause {winner} that could win"]


def test_what_lint_says_must_be_a_clause_at_the_same_place() -> None:
    assert said(*ALL, linted=LINTED | {"v1:a:kept": "1 Contract", "v1:a:new": "1 Edge Cases"}) == [
        "v1:a:new: satchel lint says that it stands in 1 Edge Cases, the manifest says None"
    ]
    assert said(*ALL, linted={"v1:a:duty": "1 Edge Cases"}) == [
        "v1:a:duty: satchel lint says that it stands in 1 Edge Cases, the manifest says 1 Contract"
    ]


def test_a_duty_of_authors_that_lint_does_not_look_for_is_named() -> None:
    assert said(*ALL, linted={}) == ["v1:a:duty: satchel lint does not look for it"]
