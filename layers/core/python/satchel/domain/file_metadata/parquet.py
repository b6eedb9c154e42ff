"""Read the number of rows and columns of a Parquet file from its footer. This avoids installing pyarrow (40 MB).

The footer is a Thrift struct in the compact protocol: ``FileMetaData {1: version, 2: schema, 3: num_rows, …}``. The
schema's first element is its root. Field 5 of the root is the number of its children, which are the columns.
"""

from collections.abc import Iterator

from satchel.domain.file_metadata.range_reader import MAX_FETCHED_BYTES, RangeReader
from satchel.domain.files import FileInfo

_MAGIC = b"PAR1"
_TAIL_BYTES = 8  # the end of a Parquet file: the footer's length and the magic number PAR1
_MAX_FOOTER_BYTES = MAX_FETCHED_BYTES // 2
_MAX_DEPTH = 8
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_LONG_LIST_MARKER = 15
_SCHEMA, _ROWS, _CHILDREN = 2, 3, 5


def read(reader: RangeReader) -> FileInfo:
    """Return the number of rows and columns. Stop parsing before the row groups, which come later in the footer."""
    tail = reader.read(reader.size - _TAIL_BYTES, _TAIL_BYTES)
    length = int.from_bytes(tail[:4], "little")
    if not tail.endswith(_MAGIC) or length + _TAIL_BYTES > reader.size:
        raise ValueError("the file does not end like a Parquet file")
    footer = _Footer(reader.read(reader.size - _TAIL_BYTES - length, min(length, _MAX_FOOTER_BYTES)))
    columns = None
    for number, kind in footer.fields():
        if number == _SCHEMA and kind == _LIST:
            columns = footer.root_children()
        elif number == _ROWS and kind == _I64:
            return FileInfo(rows=max(0, footer.signed()), columns=columns)
        else:
            footer.skip(kind)
    raise ValueError("the footer has no number of rows")


class _Footer:
    """Parses the Thrift values in a Parquet file's footer in order. Raises IndexError if the footer is truncated."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield (number, type) of each struct field. Callers must read or skip its value before the next iteration."""
        number = 0
        while header := self._byte():
            number = number + (header >> 4) if header >> 4 else self.signed()
            yield number, header & 0x0F

    def root_children(self) -> int | None:
        """Read a schema. Return the number of children of its first element (the root), or None if it has no count."""
        count, kind = self._list()
        children = None
        for index in range(count):
            for number, field in self.fields() if kind == _STRUCT else ():
                if (index, number, field) == (0, _CHILDREN, _I32):
                    children = self.signed()
                else:
                    self.skip(field)
            if kind != _STRUCT:
                raise ValueError("the schema is not a list of structs")
        return children

    def signed(self) -> int:
        """Read a signed integer, encoded as a zigzag varint."""
        encoded = self._unsigned()
        return (encoded >> 1) ^ -(encoded & 1)

    def skip(self, kind: int, depth: int = 0) -> None:
        if depth > _MAX_DEPTH:
            raise ValueError("the footer is nested too deeply")
        if kind in (_I16, _I32, _I64):
            self._unsigned()
        elif kind in (_BYTE, _DOUBLE, _BINARY):
            self._advance({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._unsigned())
        elif kind in (_LIST, _SET):
            count, element = self._list()
            for _ in range(count):
                self._advance(1) if element in (_TRUE, _FALSE) else self.skip(element, depth + 1)
        elif kind == _STRUCT:
            for _, field in self.fields():
                self.skip(field, depth + 1)
        elif kind not in (_TRUE, _FALSE):
            raise ValueError("unknown type in the footer")

    def _list(self) -> tuple[int, int]:
        header = self._byte()
        count = header >> 4
        return (self._unsigned() if count == _LONG_LIST_MARKER else count), header & 0x0F

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:  # noqa: PLR2004  (the last byte of a varint has no high bit)
                return number
            if shift > 63:  # noqa: PLR2004  (a varint has at most 64 bits)
                raise ValueError("the number is too long")

    def _byte(self) -> int:
        self._advance(1)
        return self._data[self._offset - 1]

    def _advance(self, count: int) -> None:
        self._offset += count
        if self._offset > len(self._data):
            raise IndexError(self._offset)
