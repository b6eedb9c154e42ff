"""Rows and columns of CSV and TSV. The first row is taken for the names of the columns."""

import codecs
import csv
import io

from satchel.domain.facts.peek import HEAD, Peek
from satchel.domain.files import FileInfo

_DELIMITERS = ",;\t|"


def read(peek: Peek) -> FileInfo:
    """Count rows; of a large table, as many as its beginning lets expect."""
    head = peek.at(0, HEAD)
    whole = len(head) == peek.size
    text = _decoded(head)
    told = text if whole else text[: text.rfind("\n") + 1]  # the last row may be cut
    if not told:
        return FileInfo()
    rows = csv.reader(io.StringIO(told, newline=""), delimiter=_delimiter(told))
    columns, count = 0, 0
    for row in rows:
        count += bool(row)
        columns = columns or len(row)
    if not whole:
        count = round(count * peek.size * len(text) / (len(told) * len(head)))
    return FileInfo(rows=max(0, count - 1), columns=columns, estimated=not whole)


def _decoded(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", errors="replace")
    return head.decode("utf-8-sig", errors="replace")


def _delimiter(text: str) -> str:
    """The one that the first line has most of; csv.Sniffer takes minutes over a line made for it."""
    first = text[: text.find("\n") + 1] or text
    return max(_DELIMITERS, key=first.count)
