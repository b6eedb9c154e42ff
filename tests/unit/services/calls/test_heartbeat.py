"""The runner's heartbeat. These tests wait for threads, never for time."""

import threading

import pytest

from satchel.domain.errors import Unavailable
from satchel.services.calls.heartbeat import Heartbeat
from tests.fakes.turns import FakeTaskCallback

_REAL_SECONDS = 60


class AwaitedCall:
    """A function that another thread calls."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self.times = 0

    def __call__(self) -> None:
        self.times += 1
        self._done.set()

    def wait(self) -> None:
        assert self._done.wait(_REAL_SECONDS), "the function was not called"


def new_threads(before: set[threading.Thread]) -> list[str]:
    """Return the names of the heartbeat threads that were started since then. Other tests may have left some."""
    return [each.name for each in threading.enumerate() if each.name == "heartbeat" and each not in before]


def test_heartbeats_are_sent_until_the_context_ends() -> None:
    callback, sent, before = FakeTaskCallback(), AwaitedCall(), set(threading.enumerate())
    callback.on_heartbeat = sent
    with Heartbeat(callback, "task", 0):
        sent.wait()
    count = len(callback.heartbeats)
    assert set(callback.heartbeats) == {"task"}
    assert new_threads(before) == []
    assert len(callback.heartbeats) == count


def test_context_ends_at_once_while_the_next_heartbeat_is_far_away() -> None:
    with Heartbeat(FakeTaskCallback(), "task", 3600) as heartbeat:
        pass
    assert not heartbeat.task_ended


def test_callback_runs_once_when_the_task_has_ended() -> None:
    callback, ended = FakeTaskCallback(), AwaitedCall()
    callback.gone = True
    with Heartbeat(callback, "task", 0) as heartbeat:
        heartbeat.on_task_end(ended)
        ended.wait()
    assert (heartbeat.task_ended, ended.times, callback.heartbeats) == (True, 1, ["task"])


def test_callback_that_is_set_after_the_end_runs_at_once() -> None:
    callback, first, second = FakeTaskCallback(), AwaitedCall(), AwaitedCall()
    callback.gone = True
    with Heartbeat(callback, "task", 0) as heartbeat:
        heartbeat.on_task_end(first)
        first.wait()
        heartbeat.on_task_end(second)
        assert second.times == 1


def test_removed_callback_does_not_run() -> None:
    callback, sent, ended = FakeTaskCallback(), AwaitedCall(), AwaitedCall()
    callback.on_heartbeat = sent
    with Heartbeat(callback, "task", 0) as heartbeat:
        heartbeat.on_task_end(ended)
        heartbeat.on_task_end(None)
        callback.gone = True
    assert ended.times == 0


def test_failed_heartbeat_is_followed_by_the_next_one(caplog: pytest.LogCaptureFixture) -> None:
    callback, heartbeats = FakeTaskCallback(), threading.Semaphore(0)
    callback.lost_heartbeats = 2
    callback.on_heartbeat = heartbeats.release
    with Heartbeat(callback, "task", 0) as heartbeat:
        for _ in range(3):
            assert heartbeats.acquire(timeout=_REAL_SECONDS)
    assert not heartbeat.task_ended
    assert [record.message for record in caplog.records] == ["heartbeat failed; the next one may succeed"] * 2


def test_call_that_ends_before_the_first_heartbeat_starts_no_thread() -> None:
    callback, before = FakeTaskCallback(), set(threading.enumerate())

    with Heartbeat(callback, "task", 3600):
        threads = new_threads(before)

    assert (threads, callback.heartbeats) == ([], [])


def test_stop_of_the_call_is_noticed_without_a_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.services.calls.heartbeat.CHECK_SECONDS", 0)
    callback, ended = FakeTaskCallback(), AwaitedCall()
    with Heartbeat(callback, "task", 3600, lambda: True) as heartbeat:
        heartbeat.on_task_end(ended)
        ended.wait()
    assert (heartbeat.task_ended, ended.times, callback.heartbeats) == (True, 1, [])


def test_stop_is_checked_many_times_between_two_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.services.calls.heartbeat.CHECK_SECONDS", 0)
    callback, checks = FakeTaskCallback(), threading.Semaphore(0)

    def check() -> bool:
        checks.release()
        return False

    with Heartbeat(callback, "task", 3600, check) as heartbeat:
        for _ in range(20):
            assert checks.acquire(timeout=_REAL_SECONDS)
    assert (heartbeat.task_ended, callback.heartbeats) == (False, [])


def test_check_that_fails_is_followed_by_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.services.calls.heartbeat.CHECK_SECONDS", 0)
    answers = iter([Unavailable("away"), Unavailable("away")])
    ended = AwaitedCall()

    def check() -> bool:
        if error := next(answers, None):
            raise error
        return True

    with Heartbeat(FakeTaskCallback(), "task", 3600, check) as heartbeat:
        heartbeat.on_task_end(ended)
        ended.wait()
    assert heartbeat.task_ended
