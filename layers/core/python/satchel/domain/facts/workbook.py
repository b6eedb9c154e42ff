"""Sheets of an Excel workbook, rows and columns of its first one: as it says itself, or counted where it is short.

openpyxl would read all texts of the workbook first, and has no limit to what it unpacks.
"""

import io
import re
import zipfile
from typing import IO, cast

from satchel.domain.facts.peek import MOST_UNPACKED, Peek, TooMuch
from satchel.domain.files import FileInfo

_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_DIMENSION = re.compile(rb'<(?:\w+:)?dimension\s[^>]{0,40}?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_ROW = re.compile(rb"<(?:\w+:)?row[\s>/]")
_PREAMBLE = 64 << 10
_AHEAD = 64 << 10
_PIECE = 256 << 10
_MOST_DIRECTORY = 1 << 20
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
_READABLE = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # others are unpacked without a limit


def read(peek: Peek) -> FileInfo:
    """Look into the archive without unpacking more than a part of one sheet."""
    with zipfile.ZipFile(cast("IO[bytes]", _Archive(peek))) as archive:
        sheets = {int(found[1]): each for each in archive.infolist() if (found := _SHEET.fullmatch(each.filename))}
        if not sheets:
            return FileInfo()
        first = sheets[min(sheets)]
        if first.compress_type not in _READABLE:
            return FileInfo(sheets=len(sheets))
        with archive.open(first) as sheet:
            begins = sheet.read(_PREAMBLE)
            told = _told(begins)
            rows, columns = told or (_counted(begins, sheet), None)
    return FileInfo(sheets=len(sheets), rows=rows, columns=columns)


def _told(begins: bytes) -> tuple[int, int] | None:
    """Return what the sheet says of its own; the first row is taken for the names of the columns."""
    found = _DIMENSION.search(begins)
    if found is None:
        return None
    rows = int(found[4]) - int(found[2])
    columns = _column(found[3]) - _column(found[1]) + 1
    return (rows, columns) if 0 <= rows < _MOST_ROWS and 0 < columns <= _MOST_COLUMNS else None


def _counted(begins: bytes, sheet: IO[bytes]) -> int | None:
    """Count rows up to the end of the sheet; None where that is too far."""
    count, seen, piece, kept = 0, 0, begins, b""
    while piece:
        seen += len(piece)
        if seen > MOST_UNPACKED:
            return None
        text = kept + piece
        end = max(text.rfind(b"<"), 0)  # what may be half a tag is looked at with the next piece
        count += len(_ROW.findall(text, 0, end))
        kept = text[end:]
        piece = sheet.read(_PIECE)
    return max(0, count + len(_ROW.findall(kept)) - 1)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


class _Archive:
    """A file as far as zipfile needs one, reading ahead a little; what is too much is refused before it is fetched."""

    def __init__(self, peek: Peek) -> None:
        self._peek = peek
        self._at = 0
        self._start, self._ahead = 0, b""

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._peek.size}[whence]
        self._at = base + offset
        if self._at < 0:
            raise ValueError("before the beginning")
        return self._at

    def read(self, count: int = -1) -> bytes:
        if count > _MOST_DIRECTORY:  # zipfile asks for the directory at once, as long as the file says that it is
            raise TooMuch
        wanted = max(0, self._peek.size - self._at if count < 0 else min(count, self._peek.size - self._at))
        if not self._start <= self._at <= self._at + wanted <= self._start + len(self._ahead):
            self._start, self._ahead = self._at, self._peek.at(self._at, max(wanted, _AHEAD))
        begin = self._at - self._start
        self._at += wanted
        return self._ahead[begin : begin + wanted]
