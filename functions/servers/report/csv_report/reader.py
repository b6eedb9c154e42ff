"""Read real-world CSV files, with various separators, byte order marks, line breaks in quotes, and uneven rows."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import TextIO

from fastmcp.exceptions import ToolError

from .table import Column, Table

HEAD = 64 << 10  # number of characters that are read to guess the separator
STEP = 1 << 20  # maximum bytes between progress reports (about 0.1 s); smaller files are read in up to 16 steps
MAX_LINE = 4 << 20  # maximum characters per line or cell; without it, a stray quote could load a whole file into memory
MAX_COLUMNS = 1_000


def read_in_steps(source: Path) -> Iterator[tuple[Table, float]]:
    """Read a file in constant memory. After each step, yield the table and the share of the file that has been read.

    All steps yield the same table object, which grows. Raise ToolError with a sentence for the user if the file is not
    CSV in UTF-8.
    """
    with _tool_errors(source.name), source.open("rb") as raw, TextIOWrapper(raw, "utf-8-sig", newline="") as text:
        delimiter = guess_delimiter(text.read(HEAD))
        text.seek(0)
        records = _records(text, delimiter)
        table = Table(_columns(source.name, next(records, [])), delimiter)
        size = source.stat().st_size
        step = min(STEP, max(size // 16, HEAD))
        rows, due = [], step
        for record in records:
            rows.append(record)
            if due <= (position := raw.tell()) < size:
                table.add(rows)
                yield table, position / size
                rows, due = [], position + step
        table.add(rows)
        yield table, 1.0


def guess_delimiter(sample: str) -> str:
    """Return the separator with which most of the first 50 rows have as many cells as the header. Default: comma."""

    def fit(delimiter: str) -> tuple[int, int]:
        rows = islice(csv.reader(StringIO(sample, newline=""), delimiter=delimiter), 50)
        widths = [len(row) for row in rows if row]
        return (widths.count(widths[0]), widths[0]) if widths and widths[0] > 1 else (0, 0)

    return max(",;\t|", key=fit)


def _columns(name: str, header: list[str]) -> list[Column]:
    if not header:
        raise ToolError(f"{name} is empty.")
    if len(header) > MAX_COLUMNS:
        raise ToolError(f"{name} has {len(header):,} columns; at most {MAX_COLUMNS:,} can be summarized.")
    return [Column(cell.strip() or f"column {number}") for number, cell in enumerate(header, 1)]


def _records(text: TextIO, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows that are not blank. Strict parsing reports a stray quote as an error instead of merging rows."""
    csv.field_size_limit(MAX_LINE)
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    try:
        yield from (row for row in reader if row and not (len(row) == 1 and row[0].isspace()))
    except csv.Error as error:
        raise csv.Error(f"line {reader.line_num:,}: {error}") from error


def _lines(text: TextIO) -> Iterator[str]:
    while line := text.readline(MAX_LINE):
        if "\0" in line:
            raise csv.Error("binary data")
        if len(line) == MAX_LINE:
            raise csv.Error(f"longer than {MAX_LINE:,} characters")
        yield line


@contextmanager
def _tool_errors(name: str) -> Iterator[None]:
    """Convert errors raised in the `with` block into ToolErrors that tell the user what is wrong with the CSV file."""
    try:
        yield
    except UnicodeDecodeError as error:
        problem = "is not a CSV file but binary data" if b"\0" in error.object else "is not encoded in UTF-8"
        raise ToolError(f"{name} {problem}. Save it as CSV in UTF-8 and send it again.") from error
    except csv.Error as error:
        raise ToolError(f"{name} is not a well-formed CSV file ({error}).") from error
    except OSError as error:
        raise ToolError(f"{name} cannot be read: {error.strerror}.") from error
