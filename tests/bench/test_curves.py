"""Growth curves, with a fake clock that the candidates advance."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.bench.curves import Candidate, Curve, measure_curve
from tests.bench.test_harness import FakeClock


def curve(clock: FakeClock, runs: list[tuple[str, int]], *, max_exponent: float = 1.2) -> Curve:
    def candidate(label: str, power: int, max_size: float) -> Candidate:
        def run(size: int) -> None:
            runs.append((label, size))
            clock.now += size**power

        return Candidate(label, run, max_size)

    @contextmanager
    def setup() -> Iterator[list[Candidate]]:
        yield [candidate("linear", 1, 100), candidate("quadratic", 2, 10)]

    return Curve("name", "title", "x", "y", (1, 10, 100), setup, max_exponent, runs=2)


def test_each_candidate_is_measured_at_each_size_up_to_its_maximum() -> None:
    clock, runs = FakeClock(), list[tuple[str, int]]()

    linear, quadratic = measure_curve(curve(clock, runs), clock=clock).series

    assert linear.points == ((1, 1), (10, 10), (100, 100))
    assert quadratic.points == ((1, 1), (10, 100))
    assert runs[:4] == [("linear", 1), ("quadratic", 1), ("linear", 1), ("linear", 1)]
    assert ("quadratic", 100) not in runs


def test_exponent_is_the_slope_on_logarithmic_axes() -> None:
    clock = FakeClock()

    linear, quadratic = measure_curve(curve(clock, []), clock=clock).series

    assert (linear.exponent, quadratic.exponent) == pytest.approx((1, 2))


@pytest.mark.parametrize(("max_exponent", "within_limit"), [(1.1, True), (0.9, False)])
def test_first_candidate_must_stay_below_the_maximum_exponent(
    max_exponent: float,
    within_limit: bool,  # noqa: FBT001  (an expectation)
) -> None:
    clock = FakeClock()

    result = measure_curve(curve(clock, [], max_exponent=max_exponent), runs=1, clock=clock)

    assert result.within_limit is within_limit
