"""Read the metadata of text, CSV, TSV and JSON files. Counts of files over 1 MB (``HEAD_BYTES``) are estimates."""

import codecs
import csv
import io
import re

from satchel.domain.file_metadata.range_reader import HEAD_BYTES, RangeReader
from satchel.domain.files import FileInfo

_DELIMITERS = ",;\t|"
# Let an unterminated string match up to the end of the text, because a search without this takes quadratic time.
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[{]+|[\]}]+|[:,]', re.DOTALL)
_EMPTY_LIST = re.compile(rb"\[\s*\]")


def read_lines(reader: RangeReader) -> FileInfo:
    """Count the lines of a text file."""
    count, is_complete = _count_lines(reader)
    return FileInfo(lines=count, estimated=not is_complete)


def read_records(reader: RangeReader) -> FileInfo:
    """Count the records of a JSON Lines file."""
    count, is_complete = _count_lines(reader)
    return FileInfo(rows=count, estimated=not is_complete)


def read_table(reader: RangeReader) -> FileInfo:
    """Count the rows and columns of a CSV or TSV file. The first row is the header."""
    head = reader.read(0, HEAD_BYTES)
    is_complete = len(head) == reader.size
    text = _decode(head)
    sample = text if is_complete else text[: text.rfind("\n") + 1]  # omit the last row, which may be truncated
    if not sample:
        return FileInfo()
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=_find_delimiter(sample))
    columns, count = 0, 0
    for row in rows:
        count += bool(row)
        columns = columns or len(row)
    if not is_complete:
        count = round(count * reader.size * len(text) / (len(sample) * len(head)))
    return FileInfo(rows=max(0, count - 1), columns=columns, estimated=not is_complete)


def read_json(reader: RangeReader) -> FileInfo:
    """Count the keys of a JSON object or the items of a JSON list.

    The scan creates no Python values, so deep nesting is harmless. Keys of objects over ``HEAD_BYTES`` are not counted.
    """
    head = reader.read(0, HEAD_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
    is_complete = reader.size <= HEAD_BYTES
    if head.startswith(b"{"):
        return FileInfo(keys=_count_top_level(head, b":")[0]) if is_complete else FileInfo()
    if not head.startswith(b"["):
        return FileInfo()
    commas, end = _count_top_level(head, b",")
    if is_complete:
        return FileInfo(rows=0 if _EMPTY_LIST.match(head) else commas + 1)
    return FileInfo(rows=round(commas * reader.size / end), estimated=True) if commas else FileInfo()


def _count_lines(reader: RangeReader) -> tuple[int, bool]:
    """Return the number of lines, and True if the number is exact rather than extrapolated."""
    head = reader.read(0, HEAD_BYTES)
    line_ends = head.count(b"\n")
    if len(head) == reader.size:
        return line_ends + (not head.endswith(b"\n")), True
    return max(1, round(line_ends * reader.size / len(head))), False


def _decode(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", errors="replace")
    return head.decode("utf-8-sig", errors="replace")


def _find_delimiter(text: str) -> str:
    """Return the most frequent delimiter in the first line. csv.Sniffer is unsuitable: it can take minutes."""
    first_line = text[: text.find("\n") + 1] or text
    return max(_DELIMITERS, key=first_line.count)


def _count_top_level(text: bytes, mark: bytes) -> tuple[int, int]:
    """Return the number of marks (commas or colons) at the top level of JSON text, and the end of the last mark."""
    depth, count, end = 0, 0, 0
    for match in _JSON_TOKEN.finditer(text):
        token = match[0]
        if token[0] in b"[{":
            depth += len(token)
        elif token[0] in b"]}":
            depth -= len(token)
            if depth <= 0:
                break
        elif depth == 1 and token == mark:
            count, end = count + 1, match.end()
    return count, end
