"""What files say of themselves."""

import base64
import io
import json

import pytest
from PIL import Image

from satchel.contract import mime_of
from satchel.domain.facts import read_facts
from satchel.domain.facts.peek import MOST_FETCHED
from satchel.domain.files import FileInfo
from tests.unit.domain.sample_files import PARQUET, facts, packed_pdf, peek, plain_pdf, sheet, workbook

MIB = 1 << 20
NOTHING = FileInfo()


# Tables


@pytest.mark.clause("v2.1:context:facts")
@pytest.mark.parametrize(
    ("name", "text", "rows", "columns"),
    [
        ("a.csv", "name,price\nbolt,3\nnut,4\n", 2, 2),
        ("a.csv", "name,price\nbolt,3\nnut,4", 2, 2),
        ("a.csv", "name,price\r\nbolt,3\r\n\r\n", 1, 2),
        ("a.csv", '"a\nb",c\n"1,\n2",3\n', 1, 2),
        ("a.csv", "\ufeffname;price;id\n1;2;3\n", 1, 3),
        ("a.tsv", "a\tb\tc\n1\t2\t3\n", 1, 3),
        ("a.csv", "only\n", 0, 1),
    ],
)
def test_of_a_table_rows_and_columns_are_known(name: str, text: str, rows: int, columns: int) -> None:
    assert facts(name, text.encode()) == FileInfo(rows=rows, columns=columns)


def test_a_table_in_utf_16_is_read_as_well() -> None:
    assert facts("a.csv", "a,b\n1,2\n3,4\n".encode("utf-16")) == FileInfo(rows=2, columns=2)


def test_a_table_that_a_browser_takes_for_excel_is_read_by_its_name() -> None:
    assert facts("a.csv", b"a,b\n1,2\n", "application/vnd.ms-excel") == FileInfo(rows=1, columns=2)


@pytest.mark.clause("v2.1:context:facts")
def test_the_rows_of_a_large_table_are_estimated_from_its_beginning() -> None:
    rows = 200_000
    body = b"id,name,price\n" + b"".join(b"%06d,bolt,3.50\n" % number for number in range(rows))
    found = facts("a.csv", body)
    assert (found.columns, found.estimated) == (3, True)
    assert abs((found.rows or 0) - rows) < rows / 1000


# Lines, keys, items


@pytest.mark.parametrize(("body", "lines"), [(b"one", 1), (b"one\n", 1), (b"one\ntwo", 2), (b"\n\n", 2)])
def test_of_a_text_lines_are_known(body: bytes, lines: int) -> None:
    assert facts("a.txt", body) == facts("a.py", body) == facts("a.md", body) == FileInfo(lines=lines)


def test_the_lines_of_a_large_text_are_estimated() -> None:
    found = facts("a.log", (b"x" * 99 + b"\n") * 30_000)
    assert found == FileInfo(lines=found.lines, estimated=True)
    assert abs((found.lines or 0) - 30_000) < 10


@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.xml"])
def test_how_many_lines_markup_has_tells_nobody_anything(name: str) -> None:
    assert facts(name, b"<p>\n</p>\n") == NOTHING


@pytest.mark.parametrize(
    ("value", "info"),
    [
        ({"a": 1, "b": {"c": [1, 2, {"d": 3}]}, 'q":{,': "x,:[]{}"}, FileInfo(keys=3)),
        ({}, FileInfo(keys=0)),
        ([], FileInfo(rows=0)),
        ([[1, 2], [3, 4]], FileInfo(rows=2)),
        ([1], FileInfo(rows=1)),
        ("text", NOTHING),
        (3, NOTHING),
    ],
)
def test_of_json_keys_or_items_are_known(value: object, info: FileInfo) -> None:
    for indent in (None, 2):
        assert facts("a.json", json.dumps(value, indent=indent).encode()) == info


def test_the_items_of_a_large_list_are_estimated_and_the_keys_of_a_large_object_unknown() -> None:
    item = {"id": 123456, "name": "bolt"}
    found = facts("a.json", json.dumps([item] * 100_000).encode())
    assert found.estimated
    assert abs((found.rows or 0) - 100_000) < 100
    assert facts("a.json", json.dumps({str(number): item for number in range(50_000)}).encode()) == NOTHING


def test_of_json_lines_records_are_known() -> None:
    assert facts("a.jsonl", b'{"a": 1}\n{"a": 2}\n') == FileInfo(rows=2)


def test_of_parquet_rows_and_columns_are_in_its_footer() -> None:
    assert facts("a.parquet", base64.b64decode(PARQUET)) == FileInfo(rows=3, columns=2)


def test_no_more_of_parquet_is_fetched_than_its_footer() -> None:
    body = b"PAR1" + bytes(3 * MIB) + base64.b64decode(PARQUET)[4:]
    looked = peek(body)
    assert read_facts(looked, mime_of("a.parquet"), "a.parquet") == FileInfo(rows=3, columns=2)
    assert MOST_FETCHED - looked.left < 1000


# Workbooks


@pytest.mark.clause("v2.1:context:facts")
def test_of_a_workbook_the_first_sheet_says_how_large_it_is() -> None:
    body = workbook(sheet(3, '<dimension ref="B2:E501"/>'), sheet(9))
    assert facts("a.xlsx", body) == FileInfo(sheets=2, rows=499, columns=4)


def test_of_a_sheet_that_does_not_say_it_the_rows_are_counted() -> None:
    assert facts("a.xlsx", workbook(sheet(50_000))) == FileInfo(sheets=1, rows=49_999)
    assert facts("a.xlsx", workbook(sheet(7, '<dimension ref="A1"/>'))) == FileInfo(sheets=1, rows=6)


def test_of_a_sheet_that_is_too_long_to_be_counted_nothing_is_said() -> None:
    assert facts("a.xlsx", workbook(sheet(200_000))) == FileInfo(sheets=1)


@pytest.mark.parametrize("ref", ["A1:ZZZ9999999", "A9:B1", "B1:A9"])
def test_a_size_that_no_sheet_has_is_not_believed(ref: str) -> None:
    assert facts("a.xlsx", workbook(sheet(7, f'<dimension ref="{ref}"/>'))) == FileInfo(sheets=1, rows=6)


# PDF


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (plain_pdf(12), 12),
        (packed_pdf(37), 37),
        (plain_pdf(3, more=bytes(3 * MIB) + plain_pdf(4)[9:]), 4),
        (b"%PDF-1.5\n1 0 obj\n<< /Linearized 1 /L 9 /N 250 >>\nendobj\n" + plain_pdf(3)[9:], 250),
    ],
)
def test_of_a_pdf_the_root_of_its_page_tree_counts_the_pages(body: bytes, pages: int) -> None:
    assert facts("a.pdf", body) == FileInfo(pages=pages)


def test_of_a_pdf_whose_root_is_not_found_nothing_is_said() -> None:
    assert facts("a.pdf", plain_pdf(3).replace(b"/Type /Pages /Count", b"/Type /Nothing /Count")) == NOTHING


# Pictures


def picture(kind: str, **options: object) -> bytes:
    body = io.BytesIO()
    Image.new("RGB", (320, 200), "red").save(body, kind, **options)
    return body.getvalue()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.png", picture("PNG")),
        ("a.gif", picture("GIF")),
        ("a.jpg", picture("JPEG")),
        ("a.jpg", picture("JPEG", progressive=True, icc_profile=bytes(100_000))),
        ("a.webp", picture("WEBP")),
        ("a.webp", picture("WEBP", lossless=True)),
        ("a.webp", picture("WEBP", exif=b"Exif\0\0" + bytes(10))),
        ("a.bmp", picture("BMP")),
    ],
)
def test_of_a_picture_width_and_height_are_in_its_header(name: str, body: bytes) -> None:
    assert facts(name, body) == FileInfo(width=320, height=200)
