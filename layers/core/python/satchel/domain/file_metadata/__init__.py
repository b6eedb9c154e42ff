"""Read a file's metadata (number of rows, columns, pages or pixels) from a few ranges of its bytes.

A metadata reader is a function that takes a ``RangeReader`` and returns a ``FileInfo``. To support a new file type, add
a reader and an entry in ``READERS``. The usual libraries are unsuitable: pypdf decodes every stream it finds, openpyxl
parses whole sheets, and pyarrow is larger than all other code of a Lambda function. They could spend minutes and much
memory on a hostile file (a zip bomb, an image of 100,000 by 100,000 pixels, a gigabyte on one line). ``RangeReader``
limits the cost of reading any file.

All metadata are numbers, so they cannot carry text (and instructions) from a file into the model's context.
"""

import csv
import struct
import zipfile
import zlib
from collections.abc import Callable

from satchel.contract.media_types import effective_mime, is_text, mime_of
from satchel.domain.file_metadata import images, parquet, pdf, text_formats, workbook
from satchel.domain.file_metadata.range_reader import RangeReader
from satchel.domain.files import FileInfo

MetadataReader = Callable[[RangeReader], FileInfo]

READERS: dict[str, MetadataReader] = {
    "text/csv": text_formats.read_table,
    "text/tab-separated-values": text_formats.read_table,
    "application/vnd.apache.parquet": parquet.read,
    "application/x-parquet": parquet.read,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": workbook.read,
    "application/pdf": pdf.read,
    "application/json": text_formats.read_json,
    "application/geo+json": text_formats.read_json,
    "application/x-ndjson": text_formats.read_records,
    "application/jsonl": text_formats.read_records,
}
_MARKUP = {"text/html", "application/xhtml+xml", "application/xml", "text/xml", "image/svg+xml"}
"""Text types without metadata, because the line count of generated markup is not useful."""

_PARSE_ERRORS = (
    ValueError,  # raised for malformed numbers, and base class of ``ReadLimitExceeded``
    IndexError,  # raised by the readers if a file is truncated
    struct.error,  # raised by zipfile if an archive is truncated
    EOFError,  # raised if compressed data is truncated
    zlib.error,
    csv.Error,
    zipfile.BadZipFile,
    NotImplementedError,  # raised by zipfile for an unsupported compression method
    RuntimeError,  # raised by zipfile if an archive needs a password
)


def read_file_metadata(reader: RangeReader, mime: str, name: str) -> FileInfo:
    """Return a file's metadata, which is empty for unsupported types and for content that does not match the type."""
    read = _find_reader(effective_mime(mime, name)) or _find_reader(mime_of(name))
    if read is None or reader.size == 0:
        return FileInfo()
    try:
        return read(reader)
    except _PARSE_ERRORS:
        return FileInfo()


def _find_reader(kind: str) -> MetadataReader | None:
    if kind in READERS or kind in _MARKUP:
        return READERS.get(kind)
    if kind.startswith("image/"):
        return images.read
    return text_formats.read_lines if is_text(kind) else None
