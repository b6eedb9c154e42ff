"""Metadata of files: rows, columns, lines, keys, sheets, pages and pixels."""

import base64
import io
import json

import pytest
from PIL import Image

from satchel.contract import mime_of
from satchel.domain.file_metadata import read_file_metadata
from satchel.domain.file_metadata.range_reader import MAX_FETCHED_BYTES
from satchel.domain.files import FileInfo
from tests.unit.domain.sample_files import PARQUET, metadata_of, packed_pdf, plain_pdf, reader_for, sheet, workbook

MIB = 1 << 20
NO_METADATA = FileInfo()


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
def test_table_has_rows_and_columns(name: str, text: str, rows: int, columns: int) -> None:
    assert metadata_of(name, text.encode()) == FileInfo(rows=rows, columns=columns)


def test_table_in_utf_16_has_rows_and_columns() -> None:
    assert metadata_of("a.csv", "a,b\n1,2\n3,4\n".encode("utf-16")) == FileInfo(rows=2, columns=2)


def test_csv_with_the_excel_mime_type_is_read_as_a_table() -> None:
    assert metadata_of("a.csv", b"a,b\n1,2\n", "application/vnd.ms-excel") == FileInfo(rows=1, columns=2)


@pytest.mark.clause("v2.1:context:facts")
def test_rows_of_a_large_table_are_estimated() -> None:
    rows = 200_000
    body = b"id,name,price\n" + b"".join(b"%06d,bolt,3.50\n" % number for number in range(rows))
    info = metadata_of("a.csv", body)
    assert (info.columns, info.estimated) == (3, True)
    assert abs((info.rows or 0) - rows) < rows / 1000


# Text and JSON


@pytest.mark.parametrize(("body", "lines"), [(b"one", 1), (b"one\n", 1), (b"one\ntwo", 2), (b"\n\n", 2)])
def test_text_has_lines(body: bytes, lines: int) -> None:
    assert metadata_of("a.txt", body) == metadata_of("a.py", body) == metadata_of("a.md", body) == FileInfo(lines=lines)


def test_lines_of_a_large_text_are_estimated() -> None:
    info = metadata_of("a.log", (b"x" * 99 + b"\n") * 30_000)
    assert info == FileInfo(lines=info.lines, estimated=True)
    assert abs((info.lines or 0) - 30_000) < 10


@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.xml"])
def test_markup_has_no_metadata(name: str) -> None:
    assert metadata_of(name, b"<p>\n</p>\n") == NO_METADATA


@pytest.mark.parametrize(
    ("value", "info"),
    [
        ({"a": 1, "b": {"c": [1, 2, {"d": 3}]}, 'q":{,': "x,:[]{}"}, FileInfo(keys=3)),
        ({}, FileInfo(keys=0)),
        ([], FileInfo(rows=0)),
        ([[1, 2], [3, 4]], FileInfo(rows=2)),
        ([1], FileInfo(rows=1)),
        ("text", NO_METADATA),
        (3, NO_METADATA),
    ],
)
def test_json_has_keys_or_rows(value: object, info: FileInfo) -> None:
    for indent in (None, 2):
        assert metadata_of("a.json", json.dumps(value, indent=indent).encode()) == info


def test_large_json_list_is_estimated_and_large_object_is_unknown() -> None:
    item = {"id": 123456, "name": "bolt"}
    info = metadata_of("a.json", json.dumps([item] * 100_000).encode())
    assert info.estimated
    assert abs((info.rows or 0) - 100_000) < 100
    assert metadata_of("a.json", json.dumps({str(number): item for number in range(50_000)}).encode()) == NO_METADATA


def test_json_lines_have_rows() -> None:
    assert metadata_of("a.jsonl", b'{"a": 1}\n{"a": 2}\n') == FileInfo(rows=2)


def test_parquet_has_rows_and_columns() -> None:
    assert metadata_of("a.parquet", base64.b64decode(PARQUET)) == FileInfo(rows=3, columns=2)


def test_parquet_fetches_only_the_footer() -> None:
    body = b"PAR1" + bytes(3 * MIB) + base64.b64decode(PARQUET)[4:]
    reader = reader_for(body)
    assert read_file_metadata(reader, mime_of("a.parquet"), "a.parquet") == FileInfo(rows=3, columns=2)
    assert MAX_FETCHED_BYTES - reader.remaining < 1000


# Workbooks


@pytest.mark.clause("v2.1:context:facts")
def test_workbook_size_is_read_from_the_dimension_of_its_first_sheet() -> None:
    body = workbook(sheet(3, '<dimension ref="B2:E501"/>'), sheet(9))
    assert metadata_of("a.xlsx", body) == FileInfo(sheets=2, rows=499, columns=4)


def test_rows_of_a_sheet_without_dimension_are_counted() -> None:
    assert metadata_of("a.xlsx", workbook(sheet(50_000))) == FileInfo(sheets=1, rows=49_999)
    assert metadata_of("a.xlsx", workbook(sheet(7, '<dimension ref="A1"/>'))) == FileInfo(sheets=1, rows=6)


def test_rows_of_a_long_sheet_without_dimension_are_unknown() -> None:
    assert metadata_of("a.xlsx", workbook(sheet(200_000))) == FileInfo(sheets=1)


@pytest.mark.parametrize("ref", ["A1:ZZZ9999999", "A9:B1", "B1:A9"])
def test_impossible_dimension_is_ignored(ref: str) -> None:
    assert metadata_of("a.xlsx", workbook(sheet(7, f'<dimension ref="{ref}"/>'))) == FileInfo(sheets=1, rows=6)


# PDF


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (plain_pdf(12), 12),
        (packed_pdf(37), 37),
        (plain_pdf(3, extra=bytes(3 * MIB) + plain_pdf(4)[9:]), 4),
        (b"%PDF-1.5\n1 0 obj\n<< /Linearized 1 /L 9 /N 250 >>\nendobj\n" + plain_pdf(3)[9:], 250),
    ],
)
def test_pdf_pages_are_read_from_the_page_tree_root(body: bytes, pages: int) -> None:
    assert metadata_of("a.pdf", body) == FileInfo(pages=pages)


def test_pdf_without_page_tree_root_has_no_metadata() -> None:
    assert metadata_of("a.pdf", plain_pdf(3).replace(b"/Type /Pages /Count", b"/Type /Nothing /Count")) == NO_METADATA


# Images


def image(kind: str, **options: object) -> bytes:
    body = io.BytesIO()
    Image.new("RGB", (320, 200), "red").save(body, kind, **options)
    return body.getvalue()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.png", image("PNG")),
        ("a.gif", image("GIF")),
        ("a.jpg", image("JPEG")),
        ("a.jpg", image("JPEG", progressive=True, icc_profile=bytes(100_000))),
        ("a.webp", image("WEBP")),
        ("a.webp", image("WEBP", lossless=True)),
        ("a.webp", image("WEBP", exif=b"Exif\0\0" + bytes(10))),
        ("a.bmp", image("BMP")),
    ],
)
def test_image_has_width_and_height(name: str, body: bytes) -> None:
    assert metadata_of(name, body) == FileInfo(width=320, height=200)
