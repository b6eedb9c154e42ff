"""The runner's pulse: by timer, whatever the tool does. These tests wait for threads, never for time."""

import threading

import pytest

from satchel.services.calls.heartbeat import Heartbeat
from tests.fakes.turns import FakeTaskCallback

_REAL_SECONDS = 20


class Awaited:
    """Something that another thread is going to do."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self.times = 0

    def __call__(self) -> None:
        self.times += 1
        self._done.set()

    def wait(self) -> None:
        assert self._done.wait(_REAL_SECONDS), "it never happened"


def test_it_beats_while_it_is_in_use_and_not_after() -> None:
    callback, beat = FakeTaskCallback(), Awaited()
    callback.on_heartbeat = beat
    with Heartbeat(callback, "task", 0):
        beat.wait()
    counted = len(callback.heartbeats)
    assert set(callback.heartbeats) == {"task"}
    assert [thread for thread in threading.enumerate() if thread.name == "pulse"] == []
    assert len(callback.heartbeats) == counted


def test_it_ends_at_once_when_it_is_left_however_far_the_next_beat_is() -> None:
    with Heartbeat(FakeTaskCallback(), "task", 3600) as pulse:
        pass
    assert not pulse.gone


def test_when_nobody_waits_any_more_it_says_so_once() -> None:
    callback, told = FakeTaskCallback(), Awaited()
    callback.gone = True
    with Heartbeat(callback, "task", 0) as pulse:
        pulse.on_task_end(told)
        told.wait()
    assert (pulse.gone, told.times, callback.heartbeats) == (True, 1, ["task"])


def test_who_asks_to_be_told_too_late_is_told_at_once() -> None:
    callback, first, second = FakeTaskCallback(), Awaited(), Awaited()
    callback.gone = True
    with Heartbeat(callback, "task", 0) as pulse:
        pulse.on_task_end(first)
        first.wait()
        pulse.on_task_end(second)
        assert second.times == 1


def test_who_does_not_ask_any_more_is_not_told() -> None:
    callback, beat, told = FakeTaskCallback(), Awaited(), Awaited()
    callback.on_heartbeat = beat
    with Heartbeat(callback, "task", 0) as pulse:
        pulse.on_task_end(told)
        pulse.on_task_end(None)
        callback.gone = True
    assert told.times == 0


def test_a_beat_that_does_not_arrive_is_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    callback, heartbeats = FakeTaskCallback(), threading.Semaphore(0)
    callback.lost_heartbeats = 2
    callback.on_heartbeat = heartbeats.release
    with Heartbeat(callback, "task", 0) as pulse:
        for _ in range(3):
            assert heartbeats.acquire(timeout=_REAL_SECONDS)
    assert not pulse.gone
    assert [record.message for record in caplog.records] == ["a beat did not arrive; the next one may"] * 2


def test_a_call_that_is_over_before_the_first_beat_is_due_costs_no_thread() -> None:
    callback = FakeTaskCallback()

    with Heartbeat(callback, "task", 3600):
        beating = [thread.name for thread in threading.enumerate() if thread.name == "pulse"]

    assert (beating, callback.heartbeats) == ([], [])
