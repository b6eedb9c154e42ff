"""Clause marks are read from the source of tests, and invalid marks are refused."""

from pathlib import Path

import pytest

from tests.contract.marks import Mark, MarkError, find_marks


def write_source(folder: Path, source: str, name: str = "test_a.py") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(source, "utf-8")
    return folder


def test_marks_are_found_on_functions_and_methods(tmp_path: Path) -> None:
    source = """
@pytest.mark.clause("v1:a:one", "v1:a:two")
@pytest.mark.parametrize("n", [1])
@pytest.mark.clause("v1:a:three")
def test_all(n): ...

class TestMore:
    @pytest.mark.clause("v1:a:one")
    async def test_more(self): ...
"""
    assert find_marks(write_source(tmp_path / "unit", source).parent) == [
        Mark("unit/test_a.py", "test_all", "v1:a:one"),
        Mark("unit/test_a.py", "test_all", "v1:a:two"),
        Mark("unit/test_a.py", "test_all", "v1:a:three"),
        Mark("unit/test_a.py", "TestMore::test_more", "v1:a:one"),
    ]


def test_files_that_pytest_does_not_collect_are_ignored(tmp_path: Path) -> None:
    source = '@pytest.mark.clause("v1:a:one")\ndef test_all(): ...\n'
    assert find_marks(write_source(tmp_path, source, "helpers.py")) == []


@pytest.mark.parametrize(
    "source",
    [
        '@pytest.mark.clause("v1:a:one")\ndef helper(): ...\n',
        '@pytest.mark.clause("v1:a:one")\nclass TestAll:\n    def test_all(self): ...\n',
        'class Helpers:\n    @pytest.mark.clause("v1:a:one")\n    def test_all(self): ...\n',
        'pytestmark = pytest.mark.clause("v1:a:one")\n',
        'rows = [pytest.param(1, marks=pytest.mark.clause("v1:a:one"))]\n',
        "@pytest.mark.clause\ndef test_all(): ...\n",
    ],
)
def test_mark_that_is_not_on_a_test_function_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(MarkError, match=r"test_a\.py: a clause mark is not on a test function"):
        find_marks(write_source(tmp_path, source))


@pytest.mark.parametrize("argument", ["CLAUSE", "*CLAUSES", 'f"v1:a:{name}"', "1", 'clause="v1:a:one"', ""])
def test_mark_without_literal_clause_id_is_refused(tmp_path: Path, argument: str) -> None:
    with pytest.raises(MarkError, match=r"test_a\.py: line 1: not a string literal"):
        find_marks(write_source(tmp_path, f"@pytest.mark.clause({argument})\ndef test_all(): ...\n"))


@pytest.mark.parametrize("decorator", ["skip", 'skip(reason="later")', "xfail", "xfail(strict=True)"])
def test_mark_on_a_test_that_does_not_run_is_refused(tmp_path: Path, decorator: str) -> None:
    marked = '@pytest.mark.clause("v1:a:one")\n    def test_all(self): ...\n'
    source = f"@pytest.mark.{decorator}\nclass TestAll:\n    {marked}"
    with pytest.raises(MarkError, match="TestAll::test_all proves nothing"):
        find_marks(write_source(tmp_path, source))
