"""What files say of themselves: real ones, damaged ones, and ones made to be costly."""

import base64
import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from satchel.contract import mime_of
from satchel.domain.facts import read_facts
from satchel.domain.facts.peek import HEAD, MOST_FETCHED, Peek
from satchel.domain.files import FileInfo

MIB = 1 << 20
NOTHING = FileInfo()


def peek(body: bytes) -> Peek:
    return Peek(len(body), lambda first, last: body[first : last + 1])


def facts(name: str, body: bytes, mime: str | None = None) -> FileInfo:
    return read_facts(peek(body), mime or mime_of(name), name)


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


# Parquet, made by pyarrow: three rows of the columns a and b

PARQUET = (
    "UEFSMRUEFTAVLkwVBhUAEgAAGAQBAAkBPAIAAAAAAAAAAwAAAAAAAAAVABUUFRgsFQYVEBUGFQYcGAgDAAAAAAAAABgIAQAAAAAAAAAWACgIAw"
    "AAAAAAAAAYCAEAAAAAAAAAEREAAAAKJAIAAAAGAQIDJAAVBBUeFSJMFQYVABIAAA84AQAAAHgBAAAAeQEAAAB6FQAVFBUYLBUGFRAVBhUGHDYA"
    "KAF6GAF4EREAAAAKJAIAAAAGAQIDJAAVBBk8NQAYBnNjaGVtYRUEABUEJQIYAWEAFQwlAhgBYiUATBwAAAAWBhkcGSwmABwVBBk1AAYQGRgBYR"
    "UCFgYW3gEW4AEmUiYIHBgIAwAAAAAAAAAYCAEAAAAAAAAAFgAoCAMAAAAAAAAAGAgBAAAAAAAAABERABksFQQVABUCABUAFRAVAgA8KQYZJgAG"
    "AAAAJgAcFQwZNQAGEBkYAWIVAhYGFogBFpABJqYCJugBHDYAKAF6GAF4EREAGSwVBBUAFQIAFQAVEBUCADwWBhkGGSYABgAAABbmAhYGJggW8A"
    "IAGRwYDEFSUk9XOnNjaGVtYRjsAS8vLy8vNmdBQUFBUUFBQUFBQUFLQUF3QUJnQUZBQWdBQ2dBQUFBQUJCQUFNQUFBQUNBQUlBQUFBQkFBSUFB"
    "QUFCQUFBQUFJQUFBQkFBQUFBQkFBQUFOai8vLzhBQUFFRkVBQUFBQmdBQUFBRUFBQUFBQUFBQUFFQUFBQmlBQUFBQkFBRUFBUUFBQUFRQUJRQU"
    "NBQUdBQWNBREFBQUFCQUFFQUFBQUFBQUFRSVFBQUFBSEFBQUFBUUFBQUFBQUFBQUFRQUFBR0VBQUFBSUFBd0FDQUFIQUFnQUFBQUFBQUFCUUFB"
    "QUFBQUFBQUE9ABggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZLBwAABwAAAANAgAAUEFSMQ=="
)


def test_of_parquet_rows_and_columns_are_in_its_footer() -> None:
    assert facts("a.parquet", base64.b64decode(PARQUET)) == FileInfo(rows=3, columns=2)


def test_no_more_of_parquet_is_fetched_than_its_footer() -> None:
    body = b"PAR1" + bytes(3 * MIB) + base64.b64decode(PARQUET)[4:]
    looked = peek(body)
    assert read_facts(looked, mime_of("a.parquet"), "a.parquet") == FileInfo(rows=3, columns=2)
    assert MOST_FETCHED - looked.left < 1000


# Workbooks


def workbook(*sheets: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", method) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        for number, sheet in enumerate(sheets, 1):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", sheet)
    return body.getvalue()


def sheet(rows: int, dimension: str = "") -> str:
    cells = "".join(f'<row r="{number}"><c r="A{number}"><v>1</v></c></row>' for number in range(1, rows + 1))
    return f"<worksheet>{dimension}<sheetData>{cells}</sheetData></worksheet>"


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


def plain_pdf(pages: int, *, more: bytes = b"") -> bytes:
    kids = b"".join(b"%d 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n" % (3 + n) for n in range(pages))
    tree = b"2 0 obj\n<< /Type /Pages /Count %d /Kids [] >>\nendobj\n" % pages
    inner = b"900 0 obj\n<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [] >>\nendobj\n"
    return b"%PDF-1.4\n" + kids + tree + inner + more + b"trailer\n<< /Root 1 0 R >>\n%%EOF\n"


def packed_pdf(pages: int) -> bytes:
    catalogue, tree = b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count %d /Kids [3 0 R] >>" % pages
    pairs = b"1 0 2 %d " % len(catalogue)
    data = zlib.compress(pairs + catalogue + tree)
    said = b"<< /Type /ObjStm /N 2 /First %d /Filter /FlateDecode /Length %d >>" % (len(pairs), len(data))
    return b"%PDF-1.5\n5 0 obj\n" + said + b"\nstream\r\n" + data + b"\nendstream\nendobj\n%%EOF\n"


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


# Files that lie, and files that are none


def lying_png() -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 100_000, 100_000) + b"\x08\x02\0\0\0" + bytes(1000)


def bomb(name: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", method) as archive, archive.open(name, "w", force_zip64=True) as packed:
        for _ in range(64):
            packed.write(bytes(MIB))
    return body.getvalue()


def crowded() -> bytes:
    """An archive of very many entries."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for number in range(5_000):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", b"")
    return body.getvalue()


def claiming(size: int) -> bytes:
    """A zip whose end says that its directory is very large."""
    return bytes(MIB) + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, size, 0, 0)


def stream_bomb() -> bytes:
    data = zlib.compress(bytes(64 * MIB))
    said = b"<< /Type /ObjStm /N 1 /First 10 /Filter /FlateDecode >>"
    return b"%PDF-1.5\n" + (b"5 0 obj\n" + said + b"\nstream\n" + data + b"\nendstream\nendobj\n") * 12


def overlapping() -> bytes:
    """A PDF whose packed objects all begin at the same places."""
    pairs = b"1 0 2 900000 " * 9000
    data = zlib.compress(pairs + b"<< /Type /Pages /Kids [] >>" + bytes(MIB))
    said = b"<< /Type /ObjStm /First %d /Filter /FlateDecode >>" % len(pairs)
    return b"%PDF-1.5\n5 0 obj\n" + said + b"\nstream\n" + data + b"\nendstream\nendobj\n"


COSTLY: dict[str, Callable[[], tuple[str, bytes]]] = {
    "a picture of 100,000 by 100,000 pixels": lambda: ("a.png", lying_png()),
    "a zip bomb": lambda: ("a.xlsx", bomb("xl/worksheets/sheet1.xml")),
    "a zip bomb that is unpacked without a limit": lambda: (
        "a.xlsx",
        bomb("xl/worksheets/sheet1.xml", zipfile.ZIP_LZMA),
    ),
    "an archive of 5,000 sheets": lambda: ("a.xlsx", crowded()),
    "an archive that says it is huge": lambda: ("a.xlsx", claiming(0xFFFFFFF0)),
    "one line": lambda: ("a.csv", b"x" * 3 * MIB),
    "one line of text": lambda: ("a.txt", b"x" * 3 * MIB),
    "one cell that never ends": lambda: ("a.csv", b'"' + b"x\n" * 3 * MIB),
    "nothing but delimiters": lambda: ("a.csv", b"," * 3 * MIB),
    "deeply nested": lambda: ("a.json", b"[" * 3 * MIB),
    "deep and short": lambda: ("a.json", b"[" * 1_000_000),
    "quotes that are escaped": lambda: ("a.json", b"[" + b'\\"' * 500_000),
    "a text that never ends": lambda: ("a.json", b'{"' + b'\\"' * 500_000),
    "a footer that says it is huge": lambda: ("a.parquet", bytes(9 * MIB) + struct.pack("<I", 9 * MIB) + b"PAR1"),
    "a footer of a list without end": lambda: (
        "a.parquet",
        (footer := b"\x19\xfc\xff\xff\xff\xff\xff\x7f" + b"\x0c" * MIB) + struct.pack("<I", len(footer)) + b"PAR1",
    ),
    "a stream that unpacks to very much": lambda: ("a.pdf", stream_bomb()),
    "packed objects that overlap": lambda: ("a.pdf", overlapping()),
    "page trees without end": lambda: ("a.pdf", b"%PDF-" + b"/Type /Pages" * 100_000),
    "segments without end": lambda: ("a.jpg", b"\xff\xd8" + b"\xff" * 3 * MIB),
}


@pytest.mark.clause("v2.1:context:facts")
@pytest.mark.parametrize("case", COSTLY.values(), ids=COSTLY.keys())
def test_a_file_that_lies_costs_neither_memory_nor_time(case: Callable[[], tuple[str, bytes]]) -> None:
    name, body = case()
    looked = peek(body)
    tracemalloc.start()
    try:
        found = read_facts(looked, mime_of(name), name)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert MOST_FETCHED - looked.left <= MOST_FETCHED
    assert most < 64 * MIB
    again = process_time()
    assert read_facts(peek(body), mime_of(name), name) == found
    assert process_time() - again < 3


def test_what_is_fetched_of_the_largest_text_is_its_beginning() -> None:
    asked: list[tuple[int, int]] = []

    def fetch(first: int, last: int) -> bytes:
        asked.append((first, last))
        return (b"a,b\n" * HEAD)[first : last + 1]

    assert read_facts(Peek(1 << 40, fetch), "text/csv", "a.csv").estimated
    assert asked == [(0, HEAD - 1)]


NAMES = ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.txt", "a.parquet", "a.xlsx", "a.pdf", "a.png", "a.bin"]
BEGINNINGS = [
    b"",
    b"%PDF-1.4\n",
    b"PK\3\4",
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff\xe0",
    b"RIFF\0\0\0\0WEBPVP8X",
    b"BM",
    b"[",
]


@given(st.sampled_from(NAMES), st.sampled_from(BEGINNINGS), st.binary(max_size=300))
def test_whatever_the_bytes_nothing_is_raised(name: str, beginning: bytes, rest: bytes) -> None:
    for body in (beginning + rest, rest + struct.pack("<I", len(rest)) + b"PAR1"):
        assert isinstance(facts(name, body), FileInfo)


@given(st.integers(0, 700), st.binary(min_size=1, max_size=8), st.booleans())
def test_a_damaged_file_is_one_of_which_little_is_known(at: int, junk: bytes, cut: bool) -> None:  # noqa: FBT001  (drawn)
    for name, whole in (
        ("a.parquet", base64.b64decode(PARQUET)),
        ("a.xlsx", workbook(sheet(3, '<dimension ref="A1:B4"/>'))),
        ("a.pdf", packed_pdf(3)),
    ):
        damaged = whole[:at] if cut else whole[:at] + junk + whole[at + len(junk) :]
        assert isinstance(facts(name, damaged), FileInfo)
