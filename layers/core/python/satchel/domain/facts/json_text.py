"""Keys of a JSON object, items of a JSON list, counted by its brackets: nothing is built, so nothing is too deep."""

import re

from satchel.domain.facts.peek import HEAD, Peek
from satchel.domain.files import FileInfo

# A text that does not end runs to the end of what there is; so each byte is looked at once.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[{]+|[\]}]+|[:,]', re.DOTALL)
_EMPTY = re.compile(rb"\[\s*\]")


def read(peek: Peek) -> FileInfo:
    """Count what stands at the top. A long list has as many items as its beginning lets expect."""
    head = peek.at(0, HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    whole = peek.size <= HEAD
    if head.startswith(b"{"):
        return FileInfo(keys=_at_top(head, b":")[0]) if whole else FileInfo()
    if not head.startswith(b"["):
        return FileInfo()
    commas, seen = _at_top(head, b",")
    if whole:
        return FileInfo(rows=0 if _EMPTY.match(head) else commas + 1)
    return FileInfo(rows=round(commas * peek.size / seen), estimated=True) if commas else FileInfo()


def _at_top(text: bytes, mark: bytes) -> tuple[int, int]:
    """Return how often the mark stands between the outermost brackets, and where it does last."""
    depth, count, last = 0, 0, 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token[0] in b"[{":
            depth += len(token)
        elif token[0] in b"]}":
            depth -= len(token)
            if depth <= 0:
                break
        elif depth == 1 and token == mark:
            count, last = count + 1, found.end()
    return count, last
