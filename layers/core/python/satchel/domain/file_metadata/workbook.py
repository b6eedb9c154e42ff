"""Read the number of sheets in an Excel workbook, and the number of rows and columns in its first sheet.

The ``dimension`` element of a sheet states its rows and columns. If a short sheet lacks it, its rows are counted.
openpyxl is unsuitable: it reads all texts in the workbook first, and does not limit how much it decompresses.
"""

import io
import re
import zipfile
from typing import IO, cast

from satchel.domain.file_metadata.range_reader import MAX_UNPACKED_BYTES, RangeReader, ReadLimitExceeded
from satchel.domain.files import FileInfo

_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_DIMENSION = re.compile(rb'<(?:\w+:)?dimension\s[^>]{0,40}?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_ROW = re.compile(rb"<(?:\w+:)?row[\s>/]")
_PREAMBLE_BYTES = 64 << 10
_READ_AHEAD_BYTES = 64 << 10
_CHUNK_BYTES = 256 << 10
_MAX_DIRECTORY_BYTES = 1 << 20
_MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384
# Other compression methods are not read, because zipfile cannot limit how much it decompresses with them.
_SUPPORTED_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


def read(reader: RangeReader) -> FileInfo:
    """Return the number of sheets, and the first sheet's rows and columns. Decompress only a part of that sheet."""
    with zipfile.ZipFile(cast("IO[bytes]", _ArchiveFile(reader))) as archive:
        sheets = {int(match[1]): entry for entry in archive.infolist() if (match := _SHEET.fullmatch(entry.filename))}
        if not sheets:
            return FileInfo()
        first = sheets[min(sheets)]
        if first.compress_type not in _SUPPORTED_METHODS:
            return FileInfo(sheets=len(sheets))
        with archive.open(first) as sheet:
            preamble = sheet.read(_PREAMBLE_BYTES)
            rows, columns = _parse_dimension(preamble) or (_count_rows(preamble, sheet), None)
    return FileInfo(sheets=len(sheets), rows=rows, columns=columns)


def _parse_dimension(preamble: bytes) -> tuple[int, int] | None:
    """Return the number of rows (excluding the header) and columns in ``dimension``, or None if missing or invalid."""
    match = _DIMENSION.search(preamble)
    if match is None:
        return None
    rows = int(match[4]) - int(match[2])
    columns = _column_number(match[3]) - _column_number(match[1]) + 1
    return (rows, columns) if 0 <= rows < _MAX_ROWS and 0 < columns <= _MAX_COLUMNS else None


def _count_rows(preamble: bytes, sheet: IO[bytes]) -> int | None:
    """Count the rows of a sheet, without the header. Return None if the sheet is too long to read completely."""
    count, unpacked, chunk, carry = 0, 0, preamble, b""
    while chunk:
        unpacked += len(chunk)
        if unpacked > MAX_UNPACKED_BYTES:
            return None
        text = carry + chunk
        end = max(text.rfind(b"<"), 0)  # a tag that is cut off at a chunk's end is parsed with the next chunk
        count += len(_ROW.findall(text, 0, end))
        carry = text[end:]
        chunk = sheet.read(_CHUNK_BYTES)
    return max(0, count + len(_ROW.findall(carry)) - 1)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


class _ArchiveFile:
    """Lets zipfile read a ``RangeReader`` like a file. Reads ahead to save requests. Raises ReadLimitExceeded."""

    def __init__(self, reader: RangeReader) -> None:
        self._reader = reader
        self._offset = 0
        self._buffer_start, self._buffer = 0, b""

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._offset

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._offset, io.SEEK_END: self._reader.size}[whence]
        self._offset = base + offset
        if self._offset < 0:
            raise ValueError("seek before the beginning")
        return self._offset

    def read(self, count: int = -1) -> bytes:
        if count > _MAX_DIRECTORY_BYTES:  # zipfile would read a huge archive directory into memory at once
            raise ReadLimitExceeded
        available = self._reader.size - self._offset
        count = max(0, available if count < 0 else min(count, available))
        if not self._buffer_start <= self._offset <= self._offset + count <= self._buffer_start + len(self._buffer):
            self._buffer_start = self._offset
            self._buffer = self._reader.read(self._offset, max(count, _READ_AHEAD_BYTES))
        begin = self._offset - self._buffer_start
        self._offset += count
        return self._buffer[begin : begin + count]
