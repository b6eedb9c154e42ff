"""Progress is thinned, but the last one always comes."""

import math

from satchel.domain.timing import Throttle


def test_the_first_passes_at_once() -> None:
    assert Throttle[int]().offer(1, 10.0) == 1


def test_about_four_a_second_pass() -> None:
    thinner = Throttle[int]()
    passed = [item for item in range(100) if thinner.offer(item, item / 100) is not None]
    assert passed == [0, 25, 50, 75]


def test_of_those_that_are_held_the_newest_is_kept() -> None:
    thinner = Throttle[int]()
    assert [thinner.offer(item, item / 100) for item in (0, 1, 2)] == [0, None, None]
    assert thinner.flush(0.1) == 2


def test_what_was_asked_for_is_held_no_longer() -> None:
    thinner = Throttle[int]()
    thinner.offer(0, 0.0)
    thinner.offer(1, 0.1)
    assert [thinner.flush(0.2), thinner.flush(0.2)] == [1, None]


def test_what_passes_replaces_what_is_held() -> None:
    thinner = Throttle[int]()
    assert [thinner.offer(item, at) for item, at in ((0, 0.0), (1, 0.1), (2, 0.3))] == [0, None, 2]
    assert thinner.flush(0.4) is None


def test_it_says_when_what_it_holds_may_pass() -> None:
    thinner = Throttle[int]()
    assert thinner.due_at == math.inf
    thinner.offer(0, 10.0)
    assert thinner.due_at == math.inf
    thinner.offer(1, 10.1)
    assert thinner.due_at == 10.25


def test_what_is_asked_for_counts_as_passed() -> None:
    thinner = Throttle[int]()
    thinner.offer(0, 0.0)
    thinner.offer(1, 0.1)
    assert thinner.flush(0.25) == 1
    assert [thinner.offer(2, 0.4), thinner.offer(3, 0.5)] == [None, 3]
