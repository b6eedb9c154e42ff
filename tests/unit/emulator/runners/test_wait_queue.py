import pytest

from local.emulator.runners import wait_queue
from local.emulator.runners.context import InvocationError
from local.emulator.runners.wait_queue import InvocationCancelled, Key, NullListener, QueuedInvocation, WaitQueue
from tests.fakes.invocation_listener import FakeInvocationListener

ALICE, BOB, CAROL = ("report", "alice"), ("report", "bob"), ("report", "carol")


class MutableClock:
    """The monotonic time, in seconds, that the wait queue sees."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MutableClock:
    clock = MutableClock()
    monkeypatch.setattr(wait_queue, "time", clock)
    return clock


def queued(key: Key = ALICE, listener: FakeInvocationListener | None = None, seconds: float = 60) -> QueuedInvocation:
    return QueuedInvocation(key, listener or NullListener(), seconds)


def test_later_invocation_waits_for_environments_of_earlier_ones() -> None:
    queue, alice, bob, more = WaitQueue(), queued(ALICE), queued(BOB), queued(ALICE)
    for each in (alice, bob, more):
        queue.add(each)
    assert [queue.count_ahead(ALICE, alice), queue.count_ahead(BOB, bob), queue.count_ahead(ALICE, more)] == [0, 1, 1]
    assert queue.count_ahead(CAROL, None) == 2


def test_removed_invocation_no_longer_counts() -> None:
    queue, alice, bob = WaitQueue(), queued(ALICE), queued(BOB)
    queue.add(alice)
    queue.add(bob)
    queue.remove(alice)
    assert queue.count_ahead(BOB, bob) == 0


def test_invocations_of_one_tenant_need_one_environment_unless_it_exists() -> None:
    queue = WaitQueue()
    for key in (ALICE, ALICE, BOB):
        queue.add(queued(key))
    assert (queue.count_missing([]), queue.count_missing([ALICE, CAROL]), queue.count_missing([ALICE, BOB])) == (
        2,
        1,
        0,
    )


def test_invocations_whose_environment_exists_or_may_start_are_woken() -> None:
    queue, invocations = WaitQueue(), [queued(key) for key in (ALICE, BOB, ALICE, CAROL)]
    for each in invocations:
        queue.add(each)

    queue.wake([], 0)
    assert [each.woken.is_set() for each in invocations] == [False, False, False, False]
    queue.wake([CAROL], 1)
    assert [each.woken.is_set() for each in invocations] == [True, False, False, True]
    queue.wake_all()
    assert all(each.woken.is_set() for each in invocations)


def test_canceled_invocation_raises_without_a_timeout_call() -> None:
    listener = FakeInvocationListener(is_cancelled=True)
    with pytest.raises(InvocationCancelled):
        queued(listener=listener, seconds=-1).check("full")
    assert listener.reasons == []


def test_timeout_raises_and_tells_the_listener_the_reason() -> None:
    listener = FakeInvocationListener()
    with pytest.raises(InvocationError, match="full") as raised:
        queued(listener=listener, seconds=-1).check("full")
    assert (raised.value.error_type, listener.reasons) == ("TooManyRequestsException", ["full"])


def test_listener_is_called_at_once_and_then_every_few_seconds(clock: MutableClock) -> None:
    listener = FakeInvocationListener()
    invocation = queued(listener=listener)
    assert invocation.seconds_to_check == 0
    for _ in range(3):
        clock.now += 1
        invocation.check("full")
    assert (listener.calls, listener.reasons) == (1, [])
    assert invocation.seconds_to_check == pytest.approx(3)


def test_listener_learns_of_a_long_wait_once_and_of_its_end(clock: MutableClock) -> None:
    listener = FakeInvocationListener()
    invocation = queued(listener=listener)
    for seconds in (0.5, 0.6, 5):
        clock.now += seconds
        invocation.check("full")
    invocation.start()
    assert listener.notices == ["wait", "start"]


def test_listener_does_not_learn_of_a_short_wait(clock: MutableClock) -> None:
    listener = FakeInvocationListener()
    invocation = queued(listener=listener)
    clock.now += 0.5
    invocation.check("full")
    assert invocation.seconds_to_check == pytest.approx(0.5)
    invocation.start()
    assert listener.notices == []
