"""Files that are much larger than the memory that their reading may take."""

from pathlib import Path

import pytest

from tests.documents.large import GIB, NEEDLE, read_page, run_action, search, write_book, write_table
from tests.unit.functions.servers.documents import helpers

MAX_MEMORY_MIB = 64

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


@pytest.mark.parametrize(("pattern", "regex"), [("NEEDLE", False), (r"needle,\d{4}", True)])
def test_table_of_a_gibibyte_is_searched_to_its_end_in_little_memory(
    tmp_path: Path, pattern: str, *, regex: bool
) -> None:
    path = tmp_path / "huge.csv"
    write_table(path, GIB, sparse=True)

    text, mebibytes = run_action(search(path, pattern, regex=regex))  # fails if it is silent for 25 s

    assert path.stat().st_size >= GIB
    assert NEEDLE in text
    assert text.endswith("[Searched to the end of the document]")
    assert 0 < mebibytes <= MAX_MEMORY_MIB


def test_page_of_a_long_document_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    write_book(path, 1_000)

    text, mebibytes = run_action(read_page(path, 500))

    assert "page 500 of 1,000" in text
    assert "This is sheet 500." in text
    assert 0 < mebibytes <= MAX_MEMORY_MIB


def test_answers_about_ten_thousand_pages_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "archive.pdf"
    write_book(path, 10_000)

    assert "This is sheet 9999." in helpers.read(path, pages="9999")
    answers = [helpers.read(path), helpers.outline(path), helpers.search(path, "sheet")]
    assert "10,000 pages" in answers[1]
    assert max(map(len, answers)) < 20_000
