"""How something grows, on a clock that only moves when a line says so."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.bench.curves import Curve, Line, trace
from tests.bench.test_harness import FakeClock


def curve(clock: FakeClock, asked: list[tuple[str, int]], *, max_exponent: float = 1.2) -> Curve:
    def line(label: str, power: int, up_to: float) -> Line:
        def run(size: int) -> None:
            asked.append((label, size))
            clock.now += size**power

        return Line(label, run, up_to)

    @contextmanager
    def setting() -> Iterator[list[Line]]:
        yield [line("ours", 1, 100), line("theirs", 2, 10)]

    return Curve("name", "title", "x", "y", (1, 10, 100), setting, max_exponent, runs=2)


def test_each_line_is_measured_at_each_size_that_it_is_asked_for() -> None:
    clock, asked = FakeClock(), list[tuple[str, int]]()

    ours, theirs = trace(curve(clock, asked), clock=clock).lines

    assert ours.points == ((1, 1), (10, 10), (100, 100))
    assert theirs.points == ((1, 1), (10, 100))
    assert asked[:4] == [("ours", 1), ("theirs", 1), ("ours", 1), ("ours", 1)]
    assert ("theirs", 100) not in asked


def test_the_exponent_is_the_slope_where_both_axes_are_logarithmic() -> None:
    clock = FakeClock()

    ours, theirs = trace(curve(clock, []), clock=clock).lines

    assert (ours.exponent, theirs.exponent) == pytest.approx((1, 2))


@pytest.mark.parametrize(("most", "kept"), [(1.1, True), (0.9, False)])
def test_our_line_has_to_stay_below_an_exponent(most: float, kept: bool) -> None:  # noqa: FBT001  (an expectation)
    clock = FakeClock()

    assert trace(curve(clock, [], max_exponent=most), runs=1, clock=clock).kept is kept
