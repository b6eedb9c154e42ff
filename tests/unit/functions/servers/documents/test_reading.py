from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.servers.documents.document_reader.document import Document
from functions.servers.documents.document_reader.errors import DocumentError
from functions.servers.documents.document_reader.kinds import Kind
from functions.servers.documents.document_reader.range import Range, parse_range
from functions.servers.documents.document_reader.reading import MAX_CHARS, read_bytes, read_part
from tests.documents.pdf import write_pdf
from tests.documents.samples import write_xlsx
from tests.unit.functions.servers.documents.helpers import body, continuation, outline, read, read_all

FIXTURES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def document(texts: list[str]) -> Document:
    return Document(Kind.PDF, "page", "pages", lambda first: iter(texts[first - 1 :]), len(texts), lambda: iter(()))


def parts(texts: list[str], requested: Range, max_chars: int) -> Iterator[str]:
    number: int | None = requested.first
    offset = 0
    while number is not None and (requested.last is None or number <= requested.last):
        part = read_part(document(texts), Range(number, requested.last), offset, max_chars)
        assert len(part.text) <= max_chars
        yield part.text
        number, offset = part.next, part.offset


@FIXTURES
@given(st.lists(st.text("abc\n", min_size=1, max_size=30), min_size=1), st.integers(1, 20))
def test_all_parts_together_are_the_whole_document(texts: list[str], max_chars: int) -> None:
    assert "".join(parts(texts, Range(1), max_chars)) == "".join(texts)


@FIXTURES
@given(st.lists(st.text("abc\n", min_size=1, max_size=30), min_size=1), st.integers(1, 20), st.data())
def test_all_parts_of_a_range_together_are_the_range(texts: list[str], max_chars: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(texts)))
    last = data.draw(st.integers(first, len(texts)))

    assert "".join(parts(texts, Range(first, last), max_chars)) == "".join(texts[first - 1 : last])


@FIXTURES
@given(text=st.text("aß漢😀\n", min_size=1, max_size=60), encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-be"]))
def test_all_byte_ranges_together_are_the_whole_text(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "a.txt"
    content = ("\N{BOM}" + text).encode(encoding.removesuffix("-be") if encoding == "utf-8" else encoding)
    path.write_bytes(content if encoding != "utf-16" else text.encode("utf-16"))
    start: int | None = 0
    read_texts = []
    while start is not None:
        part = read_bytes(path, Range(start), max_chars=8)
        read_texts.append(part.text)
        start = part.next

    assert "".join(read_texts).replace("\N{BOM}", "") == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [("3", Range(3, 3)), (3, Range(3, 3)), ("3-7", Range(3, 7)), ("3-", Range(3)), (" 3 \N{EN DASH} 7 ", Range(3, 7))],
)
def test_ranges_of_numbers(value: str | int, expected: Range) -> None:
    assert parse_range("pages", value) == expected


@pytest.mark.parametrize("value", ["", "x", "-", "0", "7-3", "1,2", "-1", "1-2-3", "9" * 30])
def test_other_values_are_errors_that_name_the_argument(value: str) -> None:
    with pytest.raises(DocumentError, match="E_BAD_RANGE: pages="):
        parse_range("pages", value)


def test_long_text_is_read_in_answers_of_bounded_length(tmp_path: Path) -> None:
    lines = "".join(f"line {number}\n" for number in range(5000))
    (tmp_path / "a.txt").write_text(lines)

    texts = list(read_all(tmp_path / "a.txt"))

    assert "".join(texts) == lines
    assert len(texts) == -(-len(lines) // MAX_CHARS)


def test_file_of_one_long_line_is_read_in_answers_of_bounded_length(tmp_path: Path) -> None:
    content = "".join(f"{number}," for number in range(40_000))
    (tmp_path / "a.json").write_text(content)

    assert "".join(read_all(tmp_path / "a.json")) == content


def test_answer_names_position_and_continuation(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{number:09}\n" for number in range(1, 4001)))

    first = read(tmp_path / "a.txt", lines="11-")

    assert first.startswith("a.txt: text; lines 11 to 1,610 of 4,000; 40,000 bytes\n\n000000011\n")
    assert first.endswith('[More follows: documents.read {"filename": "a.txt", "lines": "1611-"}]')
    assert read(tmp_path / "a.txt", lines="3995-").endswith("000004000\n\n[End of the document]")


def test_requested_range_continues_behind_its_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\nb\nc\nd\n")

    answer = read(tmp_path / "a.txt", lines="2-3")

    assert body(answer) == "b\nc\n"
    assert continuation(answer) == {"lines": "4-"}


def test_pages_of_a_pdf_are_selected(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", [f"This is leaf {number}" for number in range(1, 21)])

    answer = read(tmp_path / "a.pdf", pages="7-8")

    assert answer.startswith("a.pdf: PDF document; pages 7 to 8 of 20\n")
    assert body(answer) == "[page 7]\nThis is leaf 7\n\n[page 8]\nThis is leaf 8\n\n"


def test_page_without_text_says_that_it_is_a_picture(tmp_path: Path) -> None:
    write_pdf(tmp_path / "scan.pdf", ["text", ""])

    assert '(no text: this page is a picture. look {"page": 2} shows it.)' in read(tmp_path / "scan.pdf")
    assert "pages without text among the first 2, which look shows: 2" in outline(tmp_path / "scan.pdf")


def test_rows_of_a_csv_table_do_not_count_its_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,units\nnorth,1\nsouth,2\neast,3\n")

    answer = read(tmp_path / "a.csv", rows="2-2")

    assert answer.startswith("a.csv: CSV table; row 2 of 3; 34 bytes; columns: name, units\n\nsouth,2\n")
    assert continuation(answer) == {"rows": "3-"}


def test_rows_of_a_sheet_are_selected_by_name_and_number(tmp_path: Path) -> None:
    rows: list[list[object]] = [["region", "units"], ["north", 3], ["south", 4.5]]
    write_xlsx(tmp_path / "a.xlsx", {"Empty": [], "Sales": rows})

    assert body(read(tmp_path / "a.xlsx", sheet="sales", rows="2-")) == "north,3\nsouth,4.5\n"
    assert read(tmp_path / "a.xlsx", sheet="2", rows=1).startswith("a.xlsx: Excel workbook; row 1 of 3; sheet 'Sales'")
    with pytest.raises(DocumentError, match="E_BAD_RANGE: there is no sheet 'x'; the sheets are 'Empty', 'Sales'"):
        read(tmp_path / "a.xlsx", sheet="x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pages": 1}, "has lines, which lines selects, not pages"),
        ({"pages": 1, "lines": 1}, "pass one of pages, rows, lines, bytes, not pages and lines"),
        ({"lines": 9}, "the document has no line 9: it has 2 lines"),
        ({"bytes": 9}, "the file has no byte 9: it has 4 bytes"),
        ({"sheet": "x"}, "has no sheets; omit sheet"),
    ],
)
def test_part_that_does_not_exist_is_an_error(tmp_path: Path, arguments: dict[str, str | int], message: str) -> None:
    (tmp_path / "a.txt").write_text("a\nb\n")

    with pytest.raises(DocumentError, match=f"E_BAD_RANGE: .*{message}"):
        read(tmp_path / "a.txt", **arguments)


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("a.md", "# One\n```\n# code\n```\n## Two\n", ["line 1: # One", "line 5: ## Two"]),
        ("a.csv", "name;units\nx;1\n", ["column 1: name", "column 2: units"]),
        ("a.json", '{"a": [{"b": 1}]}', ["$: object with 1 keys", "$.a: array with 1 items", "$.a[0].b: int"]),
        ("a.xml", "<?xml version='1.0'?><a><b/><b/></a>", ["a: 1", "a/b: 2"]),
        ("a.py", "import os\n\ndef run():\n    pass\n", ["line 3: def run():"]),
        ("a.json", "{", ["(not valid JSON"]),
        ("a.xml", "<?xml version='1.0'?><a>", ["(not valid XML"]),
    ],
)
def test_outline_lists_the_structure(tmp_path: Path, name: str, content: str, lines: list[str]) -> None:
    (tmp_path / name).write_text(content)

    assert all(line in outline(tmp_path / name) for line in lines)
