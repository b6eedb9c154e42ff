"""The harness, with a fake clock that the operations advance."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.bench.harness import Benchmark, Comparison, Result, Sample, measure


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def benchmark(measured: Sample, baseline: Sample, *, unit: str = "ms", warm_up: int = 0) -> Benchmark:
    @contextmanager
    def setup() -> Iterator[Comparison]:
        yield Comparison(measured, baseline)

    return Benchmark("name", "this", "that", unit, setup, runs=3, warm_up=warm_up)


def test_operations_are_measured_in_turn_and_the_warm_up_does_not_count() -> None:
    clock, order = FakeClock(), list[str]()
    seconds = {"measured": [9.0, 0.003, 0.001, 0.002], "baseline": [9.0, 0.0005, 0.0005, 0.25]}

    def operation(name: str) -> Sample:
        def run() -> None:
            order.append(name)
            clock.now += seconds[name].pop(0)

        return run

    result = measure(benchmark(operation("measured"), operation("baseline"), warm_up=1), clock=clock)

    assert order == ["measured", "baseline"] * 4
    assert result.measured == pytest.approx((3, 1, 2))
    assert result.baseline == pytest.approx((0.5, 0.5, 250))
    assert result.medians == pytest.approx((2, 0.5))
    assert result.ratio == pytest.approx(4)


def test_operation_can_return_its_own_figure() -> None:
    clock = FakeClock()

    result = measure(benchmark(lambda: 64.0, lambda: 16.0, unit="MiB"), runs=2, clock=clock)

    assert (result.measured, result.baseline, result.ratio) == ((64, 64), (16, 16), 4)


def test_measured_time_in_a_unit_that_is_not_a_time_raises_key_error() -> None:
    with pytest.raises(KeyError, match="MiB"):
        measure(benchmark(lambda: None, lambda: 1.0, unit="MiB"), clock=FakeClock())


def test_failing_operation_ends_the_benchmark_and_its_setup() -> None:
    cleanups = []

    @contextmanager
    def setup() -> Iterator[Comparison]:
        try:
            yield Comparison(lambda: 1 / 0, lambda: None)
        finally:
            cleanups.append("setup")

    with pytest.raises(ZeroDivisionError):
        measure(Benchmark("name", "this", "that", "s", setup))
    assert cleanups == ["setup"]


def test_median_ignores_an_outlier() -> None:
    mark = benchmark(lambda: None, lambda: None)

    assert Result(mark, (1.0, 2.0, 900.0), (1.0, 1.0, 1.0)).ratio == 2
