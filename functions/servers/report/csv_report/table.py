"""Collect statistics of a table in limited memory: store counts and samples, never all cells."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import Any

MAX_DISTINCT = 1_000
MAX_SAMPLE = 4_000
MAX_VALUE_CHARS = 32  # longer values are cut in the list of the most frequent ones


@dataclass
class Column:
    """The statistics of one column, updated by `add`."""

    name: str
    filled: int = 0
    numeric: bool = True
    low: float = math.inf
    high: float = -math.inf
    total: float = 0.0
    counts: Counter[int] = field(default_factory=Counter)  # by hashes of the cells: long texts would take more memory
    labels: dict[int, str] = field(default_factory=dict)  # the beginning of each counted cell, by its hash
    sample: list[float] = field(default_factory=list)  # every `stride`-th number of the column, at most MAX_SAMPLE
    stride: int = 1

    @property
    def kind(self) -> str:
        """Return `number` if all filled cells are numbers, `empty` if no cell is filled, `text` otherwise."""
        return ("number" if self.numeric else "text") if self.filled else "empty"

    def add(self, cells: Sequence[str], *, decimal_comma: bool) -> None:
        """Add the column's next cells to the statistics. Blank cells count as empty."""
        filled = [cell for cell in map(str.strip, cells) if cell]
        self.filled += len(filled)
        if len(self.counts) < MAX_DISTINCT:
            self._count(filled)
        if self.numeric and filled:
            self._add_numbers(numbers_in(filled, decimal_comma=decimal_comma))

    def _count(self, cells: list[str]) -> None:
        self.counts.update(map(hash, cells))
        if len(self.counts) < MAX_DISTINCT:
            self.labels.update((hash(cell), cell[:MAX_VALUE_CHARS]) for cell in cells)
        else:
            self.counts = Counter(dict(islice(self.counts.items(), MAX_DISTINCT)))
            self.labels = {}

    def _add_numbers(self, numbers: list[float] | None) -> None:
        if numbers is None:
            self.numeric, self.sample = False, []
            return
        self.low, self.high = min(self.low, *numbers), max(self.high, *numbers)
        self.total += sum(numbers)
        self.sample += numbers[:: self.stride]
        while len(self.sample) > MAX_SAMPLE:
            self.sample, self.stride = self.sample[::2], self.stride * 2

    def shares(self, max_bins: int) -> list[float]:
        """Return the share of numbers in each of at most `max_bins` equal ranges, or `[]` for a column of text."""
        counts = histogram(self.sample, self.low, self.high, max_bins) if self.kind == "number" else []
        return [count / len(self.sample) for count in counts]

    def frequent_values(self, number: int) -> list[tuple[str, int]]:
        """Return the most frequent texts and their counts, or `[]` if the column has numbers or too many values."""
        if self.kind != "text" or not self.labels:
            return []
        return [(self.labels[key], count) for key, count in self.counts.most_common(number)]

    def describe(self, rows: int) -> dict[str, Any]:
        """Return a small JSON summary of the column. `rows` is the number of rows in the table."""
        summary: dict[str, Any] = {"column": self.name, "type": self.kind, "empty": rows - self.filled}
        if self.kind == "number":
            values = {"min": self.low, "mean": self.total / self.filled, "max": self.high, "sum": self.total}
            summary |= {key: _tidy(value) for key, value in values.items()}
        elif self.kind == "text":
            capped = len(self.counts) >= MAX_DISTINCT
            summary |= {"distinct_at_least": MAX_DISTINCT} if capped else {"distinct": len(self.counts)}
        return summary


@dataclass
class Table:
    """The statistics of a CSV file: its columns and the number of rows below the header."""

    columns: list[Column]
    delimiter: str
    rows: int = 0
    ragged: int = 0  # number of rows with more or fewer cells than the header

    def add(self, rows: Sequence[Sequence[str]]) -> None:
        """Add the file's next rows. Missing cells count as empty; cells beyond the header's last column are ignored."""
        self.rows += len(rows)
        self.ragged += sum(len(row) != len(self.columns) for row in rows)
        for column, cells in zip(self.columns, zip_longest(*rows, fillvalue=""), strict=False):
            column.add(cells, decimal_comma=self.delimiter == ";")  # files with the separator `;` write 1.5 as `1,5`


def numbers_in(cells: Sequence[str], *, decimal_comma: bool = False) -> list[float] | None:
    """Return the cells as numbers, or None if any cell is text. Unlike float(), treat `nan` and `2024_01` as text."""
    try:
        numbers = [float(cell.replace(",", ".") if decimal_comma else cell) for cell in cells]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) and not any("_" in cell for cell in cells) else None


def histogram(numbers: Sequence[float], low: float, high: float, max_bins: int) -> list[int]:
    """Count the numbers in each of at most `max_bins` ranges of equal width, from `low` to `high`.

    If all numbers are whole, the width is whole, too. Otherwise, the ranges would alternately cover two and three whole
    numbers, and the chart would look like a comb.
    """
    half_width, bins = (high / 2 - low / 2) / max_bins, max_bins  # computed from halves, since high - low may overflow
    if all(map(float.is_integer, numbers)) and high - low < 1 << 53:
        half_width = math.ceil((high - low + 1) / max_bins) / 2
        bins = math.ceil((high - low + 1) / 2 / half_width)
    counts = [0] * (bins if half_width else 1)
    for number in numbers:
        counts[min(int((number / 2 - low / 2) / half_width), bins - 1) if half_width else 0] += 1
    return counts


def _tidy(number: float) -> float | None:
    """Round a number to 12 digits, which hides binary rounding errors. Return None for infinity and NaN."""
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else float(f"{number:.12g}")
