"""The harness itself, on a clock that only moves when a side says so."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.bench.harness import Benchmark, Pair, Result, Sample, measure


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def benchmark(measured: Sample, baseline: Sample, *, unit: str = "ms", warm_up: int = 0) -> Benchmark:
    @contextmanager
    def setting() -> Iterator[Pair]:
        yield Pair(measured, baseline)

    return Benchmark("name", "this", "that", unit, setting, runs=3, warm_up=warm_up)


def test_both_sides_are_timed_in_turn_and_the_warm_up_does_not_count() -> None:
    clock, order = FakeClock(), list[str]()
    seconds = {"measured": [9.0, 0.003, 0.001, 0.002], "baseline": [9.0, 0.0005, 0.0005, 0.25]}

    def side(name: str) -> Sample:
        def run() -> None:
            order.append(name)
            clock.now += seconds[name].pop(0)

        return run

    result = measure(benchmark(side("measured"), side("baseline"), warm_up=1), clock=clock)

    assert order == ["measured", "baseline"] * 4
    assert result.measured == pytest.approx((3, 1, 2))
    assert result.baseline == pytest.approx((0.5, 0.5, 250))
    assert result.medians == pytest.approx((2, 0.5))
    assert result.ratio == pytest.approx(4)


def test_a_side_may_bring_its_own_figure() -> None:
    clock = FakeClock()

    result = measure(benchmark(lambda: 64.0, lambda: 16.0, unit="MiB"), runs=2, clock=clock)

    assert (result.measured, result.baseline, result.ratio) == ((64, 64), (16, 16), 4)


def test_a_time_in_a_unit_that_is_none_of_time_is_refused() -> None:
    with pytest.raises(KeyError, match="MiB"):
        measure(benchmark(lambda: None, lambda: 1.0, unit="MiB"), clock=FakeClock())


def test_a_side_that_fails_ends_the_benchmark_and_its_setting() -> None:
    ended = []

    @contextmanager
    def setting() -> Iterator[Pair]:
        try:
            yield Pair(lambda: 1 / 0, lambda: None)
        finally:
            ended.append("ended")

    with pytest.raises(ZeroDivisionError):
        measure(Benchmark("name", "this", "that", "s", setting))
    assert ended == ["ended"]


def test_the_median_of_an_outlier_is_not_moved_by_it() -> None:
    mark = benchmark(lambda: None, lambda: None)

    assert Result(mark, (1.0, 2.0, 900.0), (1.0, 1.0, 1.0)).ratio == 2
