"""Small sample files for the tests of file metadata, and helpers that read them."""

import io
import zipfile
import zlib

from satchel.contract import mime_of
from satchel.domain.file_metadata import read_file_metadata
from satchel.domain.file_metadata.range_reader import RangeReader
from satchel.domain.files import FileInfo

# Parquet file written by pyarrow: three rows of the columns a and b (base64)

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


def reader_for(body: bytes) -> RangeReader:
    return RangeReader(len(body), lambda first, last: body[first : last + 1])


def metadata_of(name: str, body: bytes, mime: str | None = None) -> FileInfo:
    return read_file_metadata(reader_for(body), mime or mime_of(name), name)


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


def plain_pdf(pages: int, *, extra: bytes = b"") -> bytes:
    kids = b"".join(b"%d 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n" % (3 + n) for n in range(pages))
    tree = b"2 0 obj\n<< /Type /Pages /Count %d /Kids [] >>\nendobj\n" % pages
    inner = b"900 0 obj\n<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [] >>\nendobj\n"
    return b"%PDF-1.4\n" + kids + tree + inner + extra + b"trailer\n<< /Root 1 0 R >>\n%%EOF\n"


def packed_pdf(pages: int) -> bytes:
    catalog, tree = b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count %d /Kids [3 0 R] >>" % pages
    pairs = b"1 0 2 %d " % len(catalog)
    data = zlib.compress(pairs + catalog + tree)
    dictionary = b"<< /Type /ObjStm /N 2 /First %d /Filter /FlateDecode /Length %d >>" % (len(pairs), len(data))
    return b"%PDF-1.5\n5 0 obj\n" + dictionary + b"\nstream\r\n" + data + b"\nendstream\nendobj\n%%EOF\n"
