"""The manifest and the tests are complete, and removing anything from either is detected."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contract.completeness import find_problems
from tests.contract.document import DOCUMENT, render
from tests.contract.lint_clauses import read_lint_clauses
from tests.contract.manifest import CLAUSES, Specification, clauses_of, read_manifest
from tests.contract.marks import TESTS, Mark, find_marks


@pytest.fixture(scope="module")
def manifest() -> list[Specification]:
    return read_manifest()


@pytest.fixture(scope="module")
def marks() -> list[Mark]:
    return find_marks()


@pytest.fixture(scope="module")
def lint_clauses() -> dict[str, str]:
    return read_lint_clauses()


@pytest.fixture(scope="module")
def tested_clauses(marks: list[Mark]) -> list[str]:
    """Return the ids of the clauses that have tests."""
    return sorted({mark.clause for mark in marks})


def test_every_clause_mark_and_lint_finding_has_its_counterpart(
    manifest: list[Specification], marks: list[Mark], lint_clauses: dict[str, str]
) -> None:
    assert find_problems(manifest, marks, lint_clauses) == []


def test_manifest_lists_all_specifications(manifest: list[Specification]) -> None:
    assert [(one.number, one.version) for one in manifest] == [
        (1, "v1"),
        (2, "v2"),
        (3, "v2.1"),
        (4, "v4"),
        (5, "v5"),
        (1, "mcp"),
    ]


def test_requirements_page_is_up_to_date(manifest: list[Specification], marks: list[Mark]) -> None:
    page = DOCUMENT.read_text("utf-8")
    assert page == render(manifest, marks), "regenerate the page: .venv/bin/python -m tests.contract.document"


def test_removing_any_tested_clause_is_reported(
    manifest: list[Specification], marks: list[Mark], lint_clauses: dict[str, str], tested_clauses: list[str]
) -> None:
    for removed in tested_clauses:
        rest = [replace(one, clauses=tuple(c for c in one.clauses if c.id != removed)) for one in manifest]
        problems = find_problems(rest, marks, lint_clauses)
        assert any(f"there is no clause {removed}" in problem for problem in problems)


def test_removing_all_tests_of_any_clause_is_reported(
    manifest: list[Specification], marks: list[Mark], lint_clauses: dict[str, str], tested_clauses: list[str]
) -> None:
    required = {clause.id for clause in clauses_of(manifest) if clause.kind.needs_tests}
    for untested in required.intersection(tested_clauses):
        rest = [mark for mark in marks if mark.clause != untested]
        assert f"{untested}: no test is marked with this clause" in find_problems(manifest, rest, lint_clauses)


def test_removing_any_marked_test_changes_the_page(manifest: list[Specification], marks: list[Mark]) -> None:
    page = render(manifest, marks)
    for removed in {(mark.file, mark.test) for mark in marks}:
        assert render(manifest, [mark for mark in marks if (mark.file, mark.test) != removed]) != page


def test_clause_deleted_from_its_file_is_reported(
    marks: list[Mark], lint_clauses: dict[str, str], tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(CLAUSES, tmp_path / "clauses"))
    file = copy / "v2.1.toml"
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join(line for line in lines if "v2.1:timeout:told" not in line), "utf-8")
    problems = find_problems(read_manifest(copy), marks, lint_clauses)
    assert any(problem.endswith(": there is no clause v2.1:timeout:told") for problem in problems)


def test_test_file_that_was_deleted_is_reported(
    manifest: list[Specification], marks: list[Mark], lint_clauses: dict[str, str], tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(TESTS, tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__")))
    assert find_marks(copy) == marks
    for mark in marks:
        if mark.clause == "v2.1:timeout:told":
            (copy / mark.file).unlink(missing_ok=True)
    problems = find_problems(manifest, find_marks(copy), lint_clauses)
    assert "v2.1:timeout:told: no test is marked with this clause" in problems
