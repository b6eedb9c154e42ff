"""The clock that calls the sweep."""

import threading

from local.sweeping import Ticker


def test_it_ticks_until_it_is_left() -> None:
    ticks, enough = [], threading.Event()

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == 3:
            enough.set()

    with Ticker(tick, 0.001):
        assert enough.wait(10)
    known = len(ticks)
    assert known >= 3
    assert len(ticks) == known


def test_nothing_is_done_before_the_first_interval_and_leaving_does_not_wait_for_it() -> None:
    ticks: list[int] = []
    with Ticker(lambda: ticks.append(1), 3600):
        pass
    assert ticks == []
