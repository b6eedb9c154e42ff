"""What a file says of itself: rows, pages, pixels, each a number, from a bounded look at a few of its bytes.

A reader is a small function from a ``Peek`` to a ``FileInfo``; a new kind of file is a new module and a line in
``KINDS``. They are our own because the libraries for these formats read a file to work with it: pypdf decodes the
streams that it meets, openpyxl parses whole sheets, pyarrow weighs more than all else in a function. A file that lies
(a zip bomb, a picture of 100,000 by 100,000 pixels, a gigabyte on one line) would cost them memory and minutes; here
it costs what ``Peek`` lets through.

Every fact is a number, so that nothing written in a file reaches the model's context by this way.
"""

import csv
import struct
import zipfile
import zlib
from collections.abc import Callable

from satchel.contract.media import is_text, mime_of, telling_type
from satchel.domain.facts import images, json_text, lines, parquet, pdf, tables, workbook
from satchel.domain.facts.peek import Peek
from satchel.domain.files import FileInfo

Reader = Callable[[Peek], FileInfo]

KINDS: dict[str, Reader] = {
    "text/csv": tables.read,
    "text/tab-separated-values": tables.read,
    "application/vnd.apache.parquet": parquet.read,
    "application/x-parquet": parquet.read,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": workbook.read,
    "application/pdf": pdf.read,
    "application/json": json_text.read,
    "application/geo+json": json_text.read,
    "application/x-ndjson": lines.read_records,
    "application/jsonl": lines.read_records,
}
_UNTOLD = {"text/html", "application/xhtml+xml", "application/xml", "text/xml", "image/svg+xml"}
"""Text that a program wrote: how many lines it has tells nobody anything."""

_UNREADABLE = (
    ValueError,  # what ``Peek`` refuses, and numbers that are none
    IndexError,  # it ends too early
    struct.error,  # the same
    EOFError,  # the same, in an archive
    zlib.error,
    csv.Error,
    zipfile.BadZipFile,
    NotImplementedError,  # an archive of a kind that zipfile does not read
    RuntimeError,  # an archive with a password
)


def read_facts(peek: Peek, mime: str, name: str) -> FileInfo:
    """Return what is known of a file; nothing of one that is not what it says it is."""
    kind = telling_type(mime, name)
    reader = _reader(kind) or _reader(mime_of(name))
    if reader is None or peek.size == 0:
        return FileInfo()
    try:
        return reader(peek)
    except _UNREADABLE:
        return FileInfo()


def _reader(kind: str) -> Reader | None:
    if kind in KINDS or kind in _UNTOLD:
        return KINDS.get(kind)
    if kind.startswith("image/"):
        return images.read
    return lines.read if is_text(kind) else None
