"""Reading marks out of the source of tests."""

from pathlib import Path

import pytest

from tests.contract.marks import Mark, MarkError, find_marks


def written(folder: Path, source: str, name: str = "test_a.py") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(source, "utf-8")
    return folder


def test_marks_are_found_on_functions_and_on_methods_of_classes(tmp_path: Path) -> None:
    source = """
@pytest.mark.clause("v1:a:one", "v1:a:two")
@pytest.mark.parametrize("n", [1])
@pytest.mark.clause("v1:a:three")
def test_all(n): ...

class TestMore:
    @pytest.mark.clause("v1:a:one")
    async def test_more(self): ...
"""
    assert find_marks(written(tmp_path / "unit", source).parent) == [
        Mark("unit/test_a.py", "test_all", "v1:a:one"),
        Mark("unit/test_a.py", "test_all", "v1:a:two"),
        Mark("unit/test_a.py", "test_all", "v1:a:three"),
        Mark("unit/test_a.py", "TestMore::test_more", "v1:a:one"),
    ]


def test_what_pytest_does_not_collect_is_not_looked_at(tmp_path: Path) -> None:
    source = '@pytest.mark.clause("v1:a:one")\ndef test_all(): ...\n'
    assert find_marks(written(tmp_path, source, "helpers.py")) == []


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
def test_a_mark_elsewhere_than_on_a_test_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(MarkError, match=r"test_a\.py: a clause is marked elsewhere"):
        find_marks(written(tmp_path, source))


@pytest.mark.parametrize("argument", ["CLAUSE", "*CLAUSES", 'f"v1:a:{name}"', "1", 'clause="v1:a:one"', ""])
def test_a_mark_that_names_no_clause_in_plain_text_is_refused(tmp_path: Path, argument: str) -> None:
    with pytest.raises(MarkError, match=r"test_a\.py: line 1: not a literal text"):
        find_marks(written(tmp_path, f"@pytest.mark.clause({argument})\ndef test_all(): ...\n"))


@pytest.mark.parametrize("decorator", ["skip", 'skip(reason="later")', "xfail", "xfail(strict=True)"])
def test_a_test_that_is_not_run_proves_nothing(tmp_path: Path, decorator: str) -> None:
    marked = '@pytest.mark.clause("v1:a:one")\n    def test_all(self): ...\n'
    source = f"@pytest.mark.{decorator}\nclass TestAll:\n    {marked}"
    with pytest.raises(MarkError, match="TestAll::test_all proves nothing"):
        find_marks(written(tmp_path, source))
