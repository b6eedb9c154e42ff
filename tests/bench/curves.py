"""How something grows: the same thing at several sizes, by each of several ways, in turn."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import linear_regression, median

from tests.bench.harness import Clock


@dataclass(frozen=True)
class Line:
    """One way: ``run`` does it at a size, ``up_to`` is the largest that it is asked for."""

    label: str
    run: Callable[[int], None]
    up_to: float = math.inf


@dataclass(frozen=True)
class Curve:
    """What is drawn; the first line is ours, and its exponent stays below ``max_exponent``.

    ``setting`` makes what the lines need and takes it down again. Of ``runs`` at each size the median counts.
    """

    name: str
    title: str
    x: str
    y: str
    sizes: Sequence[int]
    setting: Callable[[], AbstractContextManager[list[Line]]]
    max_exponent: float
    runs: int = 3


@dataclass(frozen=True)
class Points:
    """What one way took, by size: (size, seconds)."""

    label: str
    points: tuple[tuple[int, float], ...]

    @property
    def exponent(self) -> float:
        """Return the power of the size with which the time grows: the slope where both axes are logarithmic."""
        sizes, seconds = zip(*self.points, strict=True)
        return linear_regression(list(map(math.log, sizes)), list(map(math.log, seconds))).slope


@dataclass(frozen=True)
class Traced:
    """A curve with what was measured for it."""

    curve: Curve
    lines: tuple[Points, ...]

    @property
    def kept(self) -> bool:
        """Tell whether ours grows as it may."""
        return self.lines[0].exponent < self.curve.max_exponent


def trace(curve: Curve, *, runs: int | None = None, clock: Clock = time.perf_counter) -> Traced:
    """Measure a curve; a line that raises ends it. Each line runs once unmeasured at the smallest size."""
    with curve.setting() as lines:
        for line in lines:
            line.run(curve.sizes[0])
        taken = [(size, [_median(line, size, runs or curve.runs, clock) for line in lines]) for size in curve.sizes]
    columns = (
        Points(line.label, tuple((size, found) for size, row in taken if (found := row[index]) is not None))
        for index, line in enumerate(lines)
    )
    return Traced(curve, tuple(columns))


def _median(line: Line, size: int, runs: int, clock: Clock) -> float | None:
    return median(_seconds(line, size, clock) for _ in range(runs)) if size <= line.up_to else None


def _seconds(line: Line, size: int, clock: Clock) -> float:
    start = clock()
    line.run(size)
    return clock() - start
