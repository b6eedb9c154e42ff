"""What is known of a table: counts and thinned samples, never all its cells. Imports the standard library alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

MAX_DISTINCT = 1_000
MAX_SAMPLE = 4_000


@dataclass
class Column:
    """One column, as it grows by `add`."""

    name: str
    filled: int = 0
    numeric: bool = True
    low: float = math.inf
    high: float = -math.inf
    total: float = 0.0
    distinct: set[int] = field(default_factory=set)  # hashes: a long text takes no more room than a short one
    sample: list[float] = field(default_factory=list)  # every stride-th number, at most MAX_SAMPLE of them
    stride: int = 1

    @property
    def kind(self) -> str:
        """`empty`, `number` (each filled cell is one) or `text`."""
        return ("number" if self.numeric else "text") if self.filled else "empty"

    def add(self, cells: Sequence[str], *, decimal_comma: bool) -> None:
        """Take in some more cells; blank ones count as empty."""
        filled = [cell for cell in map(str.strip, cells) if cell]
        self.filled += len(filled)
        if len(self.distinct) < MAX_DISTINCT:
            self.distinct.update(map(hash, filled))
        if self.numeric and filled:
            self._add_numbers(numbers_in(filled, decimal_comma=decimal_comma))

    def _add_numbers(self, numbers: list[float] | None) -> None:
        if numbers is None:
            self.numeric, self.sample = False, []
            return
        self.low, self.high = min(self.low, *numbers), max(self.high, *numbers)
        self.total += sum(numbers)
        self.sample += numbers[:: self.stride]
        while len(self.sample) > MAX_SAMPLE:
            self.sample, self.stride = self.sample[::2], self.stride * 2

    def shares(self, most: int) -> list[float]:
        """Say which share of the numbers lies in each of at most so many equal ranges; nothing without numbers."""
        counts = histogram(self.sample, self.low, self.high, most) if self.kind == "number" else []
        return [count / len(self.sample) for count in counts]

    def facts(self, rows: int) -> dict[str, Any]:
        """Describe the column of a table with that many rows, small and fit for JSON."""
        facts: dict[str, Any] = {"column": self.name, "type": self.kind, "empty": rows - self.filled}
        if self.kind == "number":
            values = {"min": self.low, "mean": self.total / self.filled, "max": self.high, "sum": self.total}
            facts |= {key: _tidy(value) for key, value in values.items()}
        elif self.kind == "text":
            capped = len(self.distinct) >= MAX_DISTINCT
            facts |= {"distinct_at_least": MAX_DISTINCT} if capped else {"distinct": len(self.distinct)}
        return facts


@dataclass
class Table:
    """Columns, and the number of rows below the header."""

    columns: list[Column]
    delimiter: str
    rows: int = 0
    ragged: int = 0  # rows with more or fewer cells than the header

    def add(self, rows: Sequence[Sequence[str]]) -> None:
        """Take in some more rows. Missing cells count as empty, cells beyond the header are left out."""
        self.rows += len(rows)
        self.ragged += sum(len(row) != len(self.columns) for row in rows)
        for column, cells in zip(self.columns, zip_longest(*rows, fillvalue=""), strict=False):
            column.add(cells, decimal_comma=self.delimiter == ";")  # spreadsheets write the two together


def numbers_in(cells: Sequence[str], *, decimal_comma: bool = False) -> list[float] | None:
    """Return the cells as numbers, None where one is not. Unlike for float, `nan`, `inf` and `2024_01` are text."""
    try:
        numbers = [float(cell.replace(",", ".") if decimal_comma else cell) for cell in cells]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) and not any("_" in cell for cell in cells) else None


def histogram(numbers: Sequence[float], low: float, high: float, most: int) -> list[int]:
    """Count the numbers in each of at most so many ranges of one width, from `low` to `high`.

    The width of whole numbers is whole: ranges that hold now two of them, now three, would draw a comb.
    """
    half, bars = (high / 2 - low / 2) / most, most  # halves: the range of the largest numbers stays finite
    if all(map(float.is_integer, numbers)) and high - low < 1 << 53:
        half = math.ceil((high - low + 1) / most) / 2
        bars = math.ceil((high - low + 1) / 2 / half)
    counts = [0] * (bars if half else 1)
    for number in numbers:
        counts[min(int((number / 2 - low / 2) / half), bars - 1) if half else 0] += 1
    return counts


def _tidy(number: float) -> float | None:
    """Without the noise of binary fractions; None where a sum left what JSON can say."""
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else float(f"{number:.12g}")
