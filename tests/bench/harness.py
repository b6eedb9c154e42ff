"""Measurement of two operations in turn (A B A B …), so that other load on the machine affects both."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from typing import Literal

Clock = Callable[[], float]
Sample = Callable[[], float | None]
"""An operation. The harness measures its time, unless it returns its own figure (in the unit of the benchmark)."""

_PER_SECOND = {"s": 1.0, "ms": 1e3, "µs": 1e6}


@dataclass(frozen=True)
class Comparison:
    """The two operations of a benchmark, each of which can run many times."""

    measured: Sample
    baseline: Sample


@dataclass(frozen=True)
class Limit:
    """Upper limit of a benchmark: of its ratio, or of the measured median in its unit."""

    of: Literal["ratio", "measured"]
    below: float


@dataclass(frozen=True)
class Benchmark:
    """One row of the table.

    ``measured`` and ``baseline`` describe the two operations. ``unit`` is s, ms or µs, or any word if both operations
    return their own figures. ``setup`` creates the operations and cleans up after them. Both run ``warm_up``
    times without measurement, then ``runs`` times with it. Without a ``limit``, the benchmark cannot fail.
    """

    name: str
    measured: str
    baseline: str
    unit: str
    setup: Callable[[], AbstractContextManager[Comparison]]
    runs: int = 15
    warm_up: int = 1
    limit: Limit | None = None


@dataclass(frozen=True)
class Result:
    """The figures of both operations for each run, in the unit of the benchmark."""

    benchmark: Benchmark
    measured: tuple[float, ...]
    baseline: tuple[float, ...]

    @property
    def medians(self) -> tuple[float, float]:
        """Return the medians of the measured operation and of the baseline."""
        return median(self.measured), median(self.baseline)

    @property
    def ratio(self) -> float:
        """Return the measured median divided by the baseline's."""
        measured, baseline = self.medians
        return measured / baseline

    @property
    def within_limit(self) -> bool:
        """Return True if the figure is below the limit, or if there is no limit."""
        limit = self.benchmark.limit
        return limit is None or (self.ratio if limit.of == "ratio" else self.medians[0]) < limit.below


def measure(benchmark: Benchmark, *, runs: int | None = None, clock: Clock = time.perf_counter) -> Result:
    """Run a benchmark. Errors of its operations propagate."""
    with benchmark.setup() as comparison:
        for _ in range(benchmark.warm_up):
            _run_both(comparison, benchmark.unit, clock)
        figures = [_run_both(comparison, benchmark.unit, clock) for _ in range(runs or benchmark.runs)]
    measured, baseline = zip(*figures, strict=True)
    return Result(benchmark, measured, baseline)


def _run_both(comparison: Comparison, unit: str, clock: Clock) -> tuple[float, float]:
    return _figure(comparison.measured, unit, clock), _figure(comparison.baseline, unit, clock)


def _figure(sample: Sample, unit: str, clock: Clock) -> float:
    start = clock()
    own_figure = sample()
    return (clock() - start) * _PER_SECOND[unit] if own_figure is None else own_figure
