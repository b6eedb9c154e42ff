"""Measuring two things in turn (A B A B …), so that whatever else the machine does meets both."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from typing import Literal

Clock = Callable[[], float]
Sample = Callable[[], float | None]
"""Something to measure: its time is taken, unless it returns a figure of its own (in the benchmark's unit)."""

_PER_SECOND = {"s": 1.0, "ms": 1e3, "µs": 1e6}


@dataclass(frozen=True)
class Pair:
    """The two sides, ready to be run again and again."""

    measured: Sample
    baseline: Sample


@dataclass(frozen=True)
class Limit:
    """What a benchmark has to stay below: as its ratio, or as the measured median in its own unit."""

    of: Literal["ratio", "measured"]
    below: float


@dataclass(frozen=True)
class Benchmark:
    """One row of the table.

    ``measures`` and ``against`` say in words what the two sides are; ``unit`` is one of s, ms and µs, or any word where
    both sides return their own figures. ``setting`` makes what they need and takes it down again; ``warm_up`` pairs run
    unmeasured before the ``runs`` that count. Without a ``limit`` the figure is only there to be known.
    """

    name: str
    measures: str
    against: str
    unit: str
    setting: Callable[[], AbstractContextManager[Pair]]
    runs: int = 15
    warm_up: int = 1
    limit: Limit | None = None


@dataclass(frozen=True)
class Result:
    """What both sides took, run by run, in the benchmark's unit."""

    benchmark: Benchmark
    measured: tuple[float, ...]
    baseline: tuple[float, ...]

    @property
    def medians(self) -> tuple[float, float]:
        """Return the medians of the measured and of the baseline."""
        return median(self.measured), median(self.baseline)

    @property
    def ratio(self) -> float:
        """Return how many times the baseline the measured takes."""
        measured, baseline = self.medians
        return measured / baseline

    @property
    def kept(self) -> bool:
        """Tell whether the benchmark stayed below its limit, if it has one."""
        limit = self.benchmark.limit
        return limit is None or (self.ratio if limit.of == "ratio" else self.medians[0]) < limit.below


def measure(benchmark: Benchmark, *, runs: int | None = None, clock: Clock = time.perf_counter) -> Result:
    """Run a benchmark; a side that raises ends it."""
    with benchmark.setting() as pair:
        for _ in range(benchmark.warm_up):
            _both(pair, benchmark.unit, clock)
        figures = [_both(pair, benchmark.unit, clock) for _ in range(runs or benchmark.runs)]
    measured, baseline = zip(*figures, strict=True)
    return Result(benchmark, measured, baseline)


def _both(pair: Pair, unit: str, clock: Clock) -> tuple[float, float]:
    return _one(pair.measured, unit, clock), _one(pair.baseline, unit, clock)


def _one(sample: Sample, unit: str, clock: Clock) -> float:
    start = clock()
    own_figure = sample()
    return (clock() - start) * _PER_SECOND[unit] if own_figure is None else own_figure
