"""Hostile and damaged files: reading their metadata takes little memory and time, and raises no error."""

import base64
import io
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import mime_of
from satchel.domain.file_metadata import read_file_metadata
from satchel.domain.file_metadata.range_reader import HEAD_BYTES, MAX_FETCHED_BYTES, RangeReader
from satchel.domain.files import FileInfo
from tests.unit.domain.sample_files import PARQUET, metadata_of, packed_pdf, reader_for, sheet, workbook

MIB = 1 << 20


def huge_png() -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 100_000, 100_000) + b"\x08\x02\0\0\0" + bytes(1000)


def zip_bomb(name: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", method) as archive, archive.open(name, "w", force_zip64=True) as packed:
        for _ in range(64):
            packed.write(bytes(MIB))
    return body.getvalue()


def many_sheets() -> bytes:
    """Return a zip archive with 5,000 sheets."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for number in range(5_000):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", b"")
    return body.getvalue()


def claimed_directory(size: int) -> bytes:
    """Return a zip archive whose end record claims a directory of ``size`` bytes."""
    return bytes(MIB) + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, size, 0, 0)


def pdf_stream_bomb() -> bytes:
    data = zlib.compress(bytes(64 * MIB))
    dictionary = b"<< /Type /ObjStm /N 1 /First 10 /Filter /FlateDecode >>"
    return b"%PDF-1.5\n" + (b"5 0 obj\n" + dictionary + b"\nstream\n" + data + b"\nendstream\nendobj\n") * 12


def overlapping_pdf_objects() -> bytes:
    """Return a PDF whose compressed objects all start at the same offsets."""
    pairs = b"1 0 2 900000 " * 9000
    data = zlib.compress(pairs + b"<< /Type /Pages /Kids [] >>" + bytes(MIB))
    dictionary = b"<< /Type /ObjStm /First %d /Filter /FlateDecode >>" % len(pairs)
    return b"%PDF-1.5\n5 0 obj\n" + dictionary + b"\nstream\n" + data + b"\nendstream\nendobj\n"


HOSTILE_FILES: dict[str, Callable[[], tuple[str, bytes]]] = {
    "image of 100,000 by 100,000 pixels": lambda: ("a.png", huge_png()),
    "zip bomb": lambda: ("a.xlsx", zip_bomb("xl/worksheets/sheet1.xml")),
    "zip bomb with LZMA": lambda: (
        "a.xlsx",
        zip_bomb("xl/worksheets/sheet1.xml", zipfile.ZIP_LZMA),
    ),
    "archive with 5,000 sheets": lambda: ("a.xlsx", many_sheets()),
    "archive that claims a huge directory": lambda: ("a.xlsx", claimed_directory(0xFFFFFFF0)),
    "CSV with one line": lambda: ("a.csv", b"x" * 3 * MIB),
    "text with one line": lambda: ("a.txt", b"x" * 3 * MIB),
    "CSV with an unterminated cell": lambda: ("a.csv", b'"' + b"x\n" * 3 * MIB),
    "CSV with delimiters only": lambda: ("a.csv", b"," * 3 * MIB),
    "deeply nested JSON": lambda: ("a.json", b"[" * 3 * MIB),
    "deeply nested JSON within the limit": lambda: ("a.json", b"[" * 1_000_000),
    "JSON with escaped quotes": lambda: ("a.json", b"[" + b'\\"' * 500_000),
    "JSON with an unterminated string": lambda: ("a.json", b'{"' + b'\\"' * 500_000),
    "Parquet that claims a huge footer": lambda: ("a.parquet", bytes(9 * MIB) + struct.pack("<I", 9 * MIB) + b"PAR1"),
    "Parquet with an endless list": lambda: (
        "a.parquet",
        (footer := b"\x19\xfc\xff\xff\xff\xff\xff\x7f" + b"\x0c" * MIB) + struct.pack("<I", len(footer)) + b"PAR1",
    ),
    "PDF with decompression bombs": lambda: ("a.pdf", pdf_stream_bomb()),
    "PDF with overlapping objects": lambda: ("a.pdf", overlapping_pdf_objects()),
    "PDF with many page trees": lambda: ("a.pdf", b"%PDF-" + b"/Type /Pages" * 100_000),
    "JPEG with endless padding": lambda: ("a.jpg", b"\xff\xd8" + b"\xff" * 3 * MIB),
}


@pytest.mark.clause("v2.1:context:facts")
@pytest.mark.parametrize("case", HOSTILE_FILES.values(), ids=HOSTILE_FILES.keys())
def test_hostile_file_costs_little_memory_and_time(case: Callable[[], tuple[str, bytes]]) -> None:
    name, body = case()
    reader = reader_for(body)
    tracemalloc.start()
    try:
        info = read_file_metadata(reader, mime_of(name), name)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert MAX_FETCHED_BYTES - reader.remaining <= MAX_FETCHED_BYTES
    assert peak < 64 * MIB
    start = process_time()
    assert read_file_metadata(reader_for(body), mime_of(name), name) == info
    assert process_time() - start < 3


def test_only_the_beginning_of_a_huge_text_is_fetched() -> None:
    requests: list[tuple[int, int]] = []

    def fetch(first: int, last: int) -> bytes:
        requests.append((first, last))
        return (b"a,b\n" * HEAD_BYTES)[first : last + 1]

    assert read_file_metadata(RangeReader(1 << 40, fetch), "text/csv", "a.csv").estimated
    assert requests == [(0, HEAD_BYTES - 1)]


NAMES = ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.txt", "a.parquet", "a.xlsx", "a.pdf", "a.png", "a.bin"]
PREFIXES = [
    b"",
    b"%PDF-1.4\n",
    b"PK\3\4",
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff\xe0",
    b"RIFF\0\0\0\0WEBPVP8X",
    b"BM",
    b"[",
]


@given(st.sampled_from(NAMES), st.sampled_from(PREFIXES), st.binary(max_size=300))
def test_any_bytes_raise_no_error(name: str, prefix: bytes, rest: bytes) -> None:
    for body in (prefix + rest, rest + struct.pack("<I", len(rest)) + b"PAR1"):
        assert isinstance(metadata_of(name, body), FileInfo)


@given(st.integers(0, 700), st.binary(min_size=1, max_size=8), st.booleans())
def test_damaged_file_raises_no_error(at: int, junk: bytes, cut: bool) -> None:  # noqa: FBT001  (drawn)
    for name, whole in (
        ("a.parquet", base64.b64decode(PARQUET)),
        ("a.xlsx", workbook(sheet(3, '<dimension ref="A1:B4"/>'))),
        ("a.pdf", packed_pdf(3)),
    ):
        damaged = whole[:at] if cut else whole[:at] + junk + whole[at + len(junk) :]
        assert isinstance(metadata_of(name, damaged), FileInfo)
