"""Rows and columns of a Parquet file: three numbers out of its footer, for which pyarrow would weigh 40 MB.

The footer is a Thrift struct in the compact protocol: ``FileMetaData {1: version, 2: schema, 3: num_rows, …}``; of the
schema, a list of elements in depth-first order, the first is the root and counts its children in field 5.
"""

from collections.abc import Iterator

from satchel.domain.facts.peek import MOST_FETCHED, Peek
from satchel.domain.files import FileInfo

_MAGIC = b"PAR1"
_ENDING = 8  # the footer's length and the magic
_MOST_FOOTER = MOST_FETCHED // 2
_DEEPEST = 8
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_LONG_LIST = 15
_SCHEMA, _ROWS, _CHILDREN = 2, 3, 5


def read(peek: Peek) -> FileInfo:
    """Read as much of the footer as has to be: what the row groups are comes behind the numbers."""
    ending = peek.at(peek.size - _ENDING, _ENDING)
    length = int.from_bytes(ending[:4], "little")
    if not ending.endswith(_MAGIC) or length + _ENDING > peek.size:
        raise ValueError("it does not end as Parquet does")
    footer = _Footer(peek.at(peek.size - _ENDING - length, min(length, _MOST_FOOTER)))
    columns = None
    for number, kind in footer.fields():
        if number == _SCHEMA and kind == _LIST:
            columns = footer.root_children()
        elif number == _ROWS and kind == _I64:
            return FileInfo(rows=max(0, footer.signed()), columns=columns)
        else:
            footer.skip(kind)
    raise ValueError("it does not say how many rows it has")


class _Footer:
    """Reads on from where it stands. Raises IndexError at the end of what there is."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """Give number and type of each field of the struct at hand; its value is to be read or skipped in between."""
        number = 0
        while header := self._byte():
            number = number + (header >> 4) if header >> 4 else self.signed()
            yield number, header & 0x0F

    def root_children(self) -> int | None:
        """Read a schema; return how many children its first element has."""
        count, kind = self._list()
        children = None
        for index in range(count):
            for number, field in self.fields() if kind == _STRUCT else ():
                if (index, number, field) == (0, _CHILDREN, _I32):
                    children = self.signed()
                else:
                    self.skip(field)
            if kind != _STRUCT:
                raise ValueError("a schema is a list of structs")
        return children

    def signed(self) -> int:
        """Read a number."""
        plain = self._unsigned()
        return (plain >> 1) ^ -(plain & 1)

    def skip(self, kind: int, depth: int = 0) -> None:
        """Pass over a value."""
        if depth > _DEEPEST:
            raise ValueError("no footer is so deep")
        if kind in (_I16, _I32, _I64):
            self._unsigned()
        elif kind in (_BYTE, _DOUBLE, _BINARY):
            self._pass({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._unsigned())
        elif kind in (_LIST, _SET):
            count, element = self._list()
            for _ in range(count):
                self._pass(1) if element in (_TRUE, _FALSE) else self.skip(element, depth + 1)
        elif kind == _STRUCT:
            for _, field in self.fields():
                self.skip(field, depth + 1)
        elif kind not in (_TRUE, _FALSE):
            raise ValueError("no footer has that")

    def _list(self) -> tuple[int, int]:
        header = self._byte()
        count = header >> 4
        return (self._unsigned() if count == _LONG_LIST else count), header & 0x0F

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:  # noqa: PLR2004  (the last one has no eighth bit)
                return number
            if shift > 63:  # noqa: PLR2004  (64 bits are the most)
                raise ValueError("no number is so long")

    def _byte(self) -> int:
        self._pass(1)
        return self._data[self._at - 1]

    def _pass(self, count: int) -> None:
        self._at += count
        if self._at > len(self._data):
            raise IndexError(self._at)
