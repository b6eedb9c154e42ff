"""Curves: the time of an operation by input size, for several candidates in turn."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import linear_regression, median

from tests.bench.harness import Clock


@dataclass(frozen=True)
class Candidate:
    """One implementation. ``run`` processes an input of the given size, ``max_size`` is the largest one it gets."""

    label: str
    run: Callable[[int], None]
    max_size: float = math.inf


@dataclass(frozen=True)
class Curve:
    """Definition of a curve. The first candidate is Satchel, whose exponent must be below ``max_exponent``.

    ``setup`` creates the candidates and cleans up after them. Each point is the median of ``runs`` runs.
    """

    name: str
    title: str
    x: str
    y: str
    sizes: Sequence[int]
    setup: Callable[[], AbstractContextManager[list[Candidate]]]
    max_exponent: float
    runs: int = 3


@dataclass(frozen=True)
class Series:
    """The points of one candidate: `(size, seconds)`."""

    label: str
    points: tuple[tuple[int, float], ...]

    @property
    def exponent(self) -> float:
        """Return the exponent of the growth: the slope of the points on two logarithmic axes."""
        sizes, seconds = zip(*self.points, strict=True)
        return linear_regression(list(map(math.log, sizes)), list(map(math.log, seconds))).slope


@dataclass(frozen=True)
class CurveResult:
    """A measured curve."""

    curve: Curve
    series: tuple[Series, ...]

    @property
    def within_limit(self) -> bool:
        """Return True if the exponent of the first candidate is below its maximum."""
        return self.series[0].exponent < self.curve.max_exponent


def measure_curve(curve: Curve, *, runs: int | None = None, clock: Clock = time.perf_counter) -> CurveResult:
    """Measure a curve, after one unmeasured run of each candidate at the smallest size. Errors propagate."""
    with curve.setup() as candidates:
        for candidate in candidates:
            candidate.run(curve.sizes[0])
        rows = [
            (size, [_median(candidate, size, runs or curve.runs, clock) for candidate in candidates])
            for size in curve.sizes
        ]
    series = (
        Series(candidate.label, tuple((size, seconds) for size, row in rows if (seconds := row[index]) is not None))
        for index, candidate in enumerate(candidates)
    )
    return CurveResult(curve, tuple(series))


def _median(candidate: Candidate, size: int, runs: int, clock: Clock) -> float | None:
    return median(_seconds(candidate, size, clock) for _ in range(runs)) if size <= candidate.max_size else None


def _seconds(candidate: Candidate, size: int, clock: Clock) -> float:
    start = clock()
    candidate.run(size)
    return clock() - start
