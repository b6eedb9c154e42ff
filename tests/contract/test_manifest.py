"""The manifest and the tests are complete both ways, and nothing can be taken from either unnoticed."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contract.completeness import problems
from tests.contract.document import DOCUMENT, document
from tests.contract.linting import linted_clauses
from tests.contract.manifest import CLAUSES, Specification, read_manifest
from tests.contract.marks import TESTS, Mark, find_marks


@pytest.fixture(scope="module")
def manifest() -> list[Specification]:
    return read_manifest()


@pytest.fixture(scope="module")
def marks() -> list[Mark]:
    return find_marks()


@pytest.fixture(scope="module")
def linted() -> dict[str, str]:
    return linted_clauses()


@pytest.fixture(scope="module")
def proved(marks: list[Mark]) -> list[str]:
    """Return the clauses that have tests."""
    return sorted({mark.clause for mark in marks})


def test_every_clause_has_its_tests_and_every_mark_and_every_finding_its_clause(
    manifest: list[Specification], marks: list[Mark], linted: dict[str, str]
) -> None:
    assert problems(manifest, marks, linted) == []


def test_all_specifications_are_listed(manifest: list[Specification]) -> None:
    assert [(one.number, one.version) for one in manifest] == [
        (1, "v1"),
        (2, "v2"),
        (3, "v2.1"),
        (4, "v4"),
        (5, "v5"),
        (1, "mcp"),
    ]


def test_the_page_of_requirements_tells_the_same(manifest: list[Specification], marks: list[Mark]) -> None:
    written = DOCUMENT.read_text("utf-8")
    assert written == document(manifest, marks), "write it anew: .venv/bin/python -m tests.contract.document"


def test_any_clause_that_is_removed_is_missed(
    manifest: list[Specification], marks: list[Mark], linted: dict[str, str], proved: list[str]
) -> None:
    for gone in proved:
        rest = [replace(one, clauses=tuple(c for c in one.clauses if c.id != gone)) for one in manifest]
        assert any(f"there is no clause {gone}" in problem for problem in problems(rest, marks, linted))


def test_any_clause_that_loses_its_tests_is_missed(
    manifest: list[Specification], marks: list[Mark], linted: dict[str, str], proved: list[str]
) -> None:
    for bare in proved:
        rest = [mark for mark in marks if mark.clause != bare]
        assert f"{bare}: no test is marked with it" in problems(manifest, rest, linted)


def test_any_test_that_is_removed_is_missed(manifest: list[Specification], marks: list[Mark]) -> None:
    """A clause has no test then, or the page names one that there is not."""
    page = document(manifest, marks)
    for gone in {(mark.file, mark.test) for mark in marks}:
        assert document(manifest, [mark for mark in marks if (mark.file, mark.test) != gone]) != page


def test_a_clause_that_goes_from_its_file_is_missed(marks: list[Mark], linted: dict[str, str], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(CLAUSES, tmp_path / "clauses"))
    file = copy / "v2.1.toml"
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join(line for line in lines if "v2.1:timeout:told" not in line), "utf-8")
    found = problems(read_manifest(copy), marks, linted)
    assert any(problem.endswith(": there is no clause v2.1:timeout:told") for problem in found)


def test_a_test_that_goes_from_its_file_is_missed(
    manifest: list[Specification], marks: list[Mark], linted: dict[str, str], tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(TESTS, tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__")))
    assert find_marks(copy) == marks
    for mark in marks:
        if mark.clause == "v2.1:timeout:told":
            (copy / mark.file).unlink(missing_ok=True)
    assert "v2.1:timeout:told: no test is marked with it" in problems(manifest, find_marks(copy), linted)
