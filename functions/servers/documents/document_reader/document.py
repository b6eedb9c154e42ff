"""A document as its readers show it: numbered units of text (lines, pages, rows, …)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .kinds import Kind
from .utf8 import split_lines


@dataclass(frozen=True)
class Document:
    """An open document.

    ``unit`` is the name of its units, and ``argument`` the argument of the tools that selects them. ``texts`` yields
    the texts of the units from a number on (1 is the first), each with its line end. ``count`` is None if counting
    would take long. ``outline`` yields lines that describe the whole, and ``details`` a few facts for every answer.
    ``shift`` is the number of units before the first row, in a table whose lines are also rows.
    """

    kind: Kind
    unit: str
    argument: str
    texts: Callable[[int], Iterator[str]]
    count: int | None
    outline: Callable[[], Iterator[str]]
    details: Sequence[str] = field(default=())
    shift: int = 0


def line_document(kind: Kind, text: str, outline: Callable[[], Iterator[str]], details: Sequence[str] = ()) -> Document:
    """Return a document of the lines of a text."""
    lines = [line.decode() for line in split_lines(text.encode("utf-8", "replace"))]
    return Document(kind, "line", "lines", lambda first: iter(lines[first - 1 :]), len(lines), outline, details)
