"""Files that lie, and files that are none: they cost neither memory nor time."""

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
from satchel.domain.facts import read_facts
from satchel.domain.facts.peek import HEAD, MOST_FETCHED, Peek
from satchel.domain.files import FileInfo
from tests.unit.domain.sample_files import PARQUET, facts, packed_pdf, peek, sheet, workbook

MIB = 1 << 20


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
