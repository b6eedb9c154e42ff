"""Lines of a text; records of a text that has one a line. Of a long one, as many as its beginning lets expect."""

from satchel.domain.facts.peek import HEAD, Peek
from satchel.domain.files import FileInfo


def read(peek: Peek) -> FileInfo:
    """Count lines."""
    count, whole = _count(peek)
    return FileInfo(lines=count, estimated=not whole)


def read_records(peek: Peek) -> FileInfo:
    """Count records."""
    count, whole = _count(peek)
    return FileInfo(rows=count, estimated=not whole)


def _count(peek: Peek) -> tuple[int, bool]:
    head = peek.at(0, HEAD)
    ends = head.count(b"\n")
    if len(head) == peek.size:
        return ends + (not head.endswith(b"\n")), True
    return max(1, round(ends * peek.size / len(head))), False
