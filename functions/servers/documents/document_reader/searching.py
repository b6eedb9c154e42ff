"""Search a document for a text or a regular expression, in time linear in its length (RE2)."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import re2

from .child import Report
from .document import Document
from .errors import Code, DocumentError
from .utf8 import Utf8Text, count_lines, decode_line, split_lines

MAX_MATCHES = 50
MAX_CHARS = 12_000
MAX_CONTEXT = 10

_LINE_CHARS = 400
_PATTERN_BYTES = 1000
_MAX_MEMORY = 8 << 20  # of the automaton
_ANCHORS = (b"\\A", b"\\z", b"\\C", b"(?")  # mean something else in a block of lines, or might


@dataclass(frozen=True)
class Position:
    """A line of a document: its unit, and in documents of pages the line on the page (1 is the first)."""

    unit: int
    line: int = 0

    def __str__(self) -> str:
        return f"{self.unit}:{self.line}" if self.line else str(self.unit)


@dataclass
class Matches:
    """The matching lines of a search with their context. ``after`` is the last match if the search stopped there."""

    lines: list[tuple[Position, str, bool]] = field(default_factory=list)
    count: int = 0
    after: Position | None = None


class Pattern:
    """A compiled pattern that searches lines of UTF-8."""

    def __init__(self, pattern: str, *, is_regex: bool, match_case: bool) -> None:
        encoded = pattern.encode("utf-8", "replace")
        if not encoded or len(encoded) > _PATTERN_BYTES:
            raise DocumentError(Code.BAD_PATTERN, f"the pattern must have 1 to {_PATTERN_BYTES} bytes")
        options = re2.Options()
        options.literal = not is_regex
        options.case_sensitive = match_case
        options.log_errors = False
        options.max_mem = _MAX_MEMORY
        try:
            self._regex = re2.compile(encoded, options)
            # Most blocks of a large file have no match. One search of the whole block finds that out.
            searches_blocks = not is_regex or not any(anchor in encoded for anchor in _ANCHORS)
            by_line = re2.compile(b"(?m)" + encoded, options) if is_regex and searches_blocks else self._regex
        except re2.error as error:
            reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
            problem = f"{pattern!r} is not a regular expression of RE2, which has no lookaround ({reason})"
            raise DocumentError(Code.BAD_PATTERN, problem) from error
        self._of_block = by_line if searches_blocks else None

    def may_match(self, block: bytes) -> bool:
        """Return False if no line of a block matches."""
        return self._of_block is None or self._of_block.search(block) is not None

    def find(self, line: bytes) -> int | None:
        """Return the position in a line at which the match begins, or None."""
        match = self._regex.search(line.rstrip(b"\r\n"))
        return None if match is None else match.start()


class _Collector:
    """Collects matches and the lines around them, until an answer is full."""

    def __init__(self, pattern: Pattern, context: int, after: Position) -> None:
        self.matches = Matches()
        self._pattern = pattern
        self._context = context
        self._start = after
        self._before: list[tuple[Position, bytes]] = []
        self._left = 0
        self._chars = 0

    @property
    def waits(self) -> bool:
        """Return True if the next lines belong to the context of the last match."""
        return self._left > 0

    def pass_over(self, lines: Iterator[tuple[Position, bytes]]) -> None:
        """Remember the last lines before a block, as the context of its first match."""
        self._before = [(position, line) for position, line in lines if position.unit > self._last_shown]
        self._before = self._before[-self._context :] if self._context else []

    @property
    def _last_shown(self) -> int:
        return self.matches.lines[-1][0].unit if self.matches.lines else 0

    def add(self, position: Position, line: bytes) -> bool:
        """Search a line. Return False if the answer is full."""
        start = None
        if (position.unit, position.line) > (self._start.unit, self._start.line):
            start = self._pattern.find(line)
        if start is None:
            if self._left:
                self._append(position, line, None)
                self._left -= 1
            elif self._context:
                self._before = [*self._before[-self._context + 1 :], (position, line)][-self._context :]
            return True
        if self.matches.count >= MAX_MATCHES or self._chars > MAX_CHARS:
            return False
        for earlier, text in self._before:
            self._append(earlier, text, None)
        self._before = []
        self._append(position, line, start)
        self.matches.count += 1
        self.matches.after = position
        self._left = self._context
        return True

    def _append(self, position: Position, line: bytes, match: int | None) -> None:
        text = _excerpt(line, match or 0)
        self.matches.lines.append((position, text, match is not None))
        self._chars += len(text)


def search_text(text: Utf8Text, pattern: Pattern, context: int, after: Position, report: Report) -> Matches:
    """Search a text file of any size, a block at a time."""
    collector = _Collector(pattern, context, after)
    number, done, tail = 0, 0, b""
    tail_bytes = _LINE_CHARS * 4 * context
    for block in text.blocks():
        done += len(block)
        report(done / max(text.size, done), f"Searched {done >> 20:,} MB of {text.path.name}")
        count = count_lines(block)
        if number + count > after.unit and pattern.may_match(block):
            collector.pass_over(_numbered(tail, number - count_lines(tail)))
            for position, line in _numbered(block, number):
                if not collector.add(position, line):
                    return collector.matches
        elif collector.waits:
            for position, line in itertools.islice(_numbered(block, number), context):
                collector.add(position, line)
        number += count
        tail = (tail + block)[-tail_bytes:] if context else b""
    collector.matches.after = None
    return collector.matches


def search_document(document: Document, pattern: Pattern, context: int, after: Position, report: Report) -> Matches:
    """Search the units of a document from the position ``after`` on."""
    collector = _Collector(pattern, context, after)
    has_lines = document.argument == "pages"
    first = max(1, after.unit)
    for number, text in enumerate(document.texts(first), start=first):
        report(number / max(document.count or number, number), f"Searched {document.unit} {number:,}")
        if not has_lines:
            if not collector.add(Position(number), text.encode("utf-8", "replace")):
                return collector.matches
            continue
        for line, content in enumerate(split_lines(text.encode("utf-8", "replace")), start=1):
            if not collector.add(Position(number, line), content):
                return collector.matches
    collector.matches.after = None
    return collector.matches


def parse_position(value: str) -> Position:
    """Return the position that an answer named. Raise DocumentError if it is none."""
    unit, _, line = value.partition(":")
    if not unit.isdecimal() or (line and not line.isdecimal()):
        raise DocumentError(Code.BAD_RANGE, f"after={value!r} is not a position; pass the one of the last answer")
    return Position(int(unit), int(line or 0))


def _numbered(block: bytes, lines_before: int) -> Iterator[tuple[Position, bytes]]:
    for number, line in enumerate(split_lines(block), start=lines_before + 1):
        yield Position(number), line


def _excerpt(line: bytes, match: int) -> str:
    """Return a line, or the surroundings of the match in a long one."""
    text = decode_line(line).rstrip("\n")
    if len(text) <= _LINE_CHARS:
        return text
    start = max(0, len(line[:match].decode("utf-8", "replace")) - _LINE_CHARS // 2)
    cut = text[start : start + _LINE_CHARS]
    return f"{'…' if start else ''}{cut}{'…' if start + _LINE_CHARS < len(text) else ''}"
