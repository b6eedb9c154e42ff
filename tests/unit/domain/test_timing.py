"""The time limits of a tool call, its notices, and the throttle of progress events."""

import math

import pytest
from pydantic import ValidationError

from satchel.domain.timing import Limits, Notice, SilenceTimer, Throttle, TimeLimitReached

AFTER_15 = Notice(seconds=15, left=15, message="The tool is taking longer than expected. Please wait...")
AFTER_20 = Notice(seconds=20, left=10, message="Still processing your request. This may take a few more moments.")
AFTER_25 = Notice(
    seconds=25, left=5, message="Processing continues. The tool will timeout in 5 seconds if no progress."
)
SILENCE_LIMIT = TimeLimitReached(kind="silence", seconds=30)
STARTED_AT = 1000.0


def run_timer(timer: SilenceTimer, until: float) -> list[tuple[float, Notice | TimeLimitReached]]:
    """Check the timer at each of its deadlines. Return what was due, with the seconds since the start."""
    due: list[tuple[float, Notice | TimeLimitReached]] = []
    now = STARTED_AT
    while now <= STARTED_AT + until and not (due and isinstance(due[-1][1], TimeLimitReached)):
        while result := timer.check(now):
            due.append((now - STARTED_AT, result))
            if isinstance(result, TimeLimitReached):
                break
        assert timer.next_deadline() > now or isinstance(due[-1][1], TimeLimitReached)
        now = timer.next_deadline()
    return due


@pytest.mark.clause("v2.1:timeout:normal")
def test_short_silence_gives_no_notice() -> None:
    assert SilenceTimer(Limits(), STARTED_AT).check(STARTED_AT + 14.9) is None


@pytest.mark.clause(
    "v2.1:timeout:notice-15s", "v2.1:timeout:notice-20s", "v2.1:timeout:notice-25s", "v2.1:time:timeout"
)
def test_three_notices_come_before_the_silence_limit() -> None:
    assert run_timer(SilenceTimer(Limits(), STARTED_AT), 60) == [
        (15, AFTER_15),
        (20, AFTER_20),
        (25, AFTER_25),
        (30, SILENCE_LIMIT),
    ]


@pytest.mark.clause("v2.1:timeout:told")
def test_message_at_the_silence_limit_is_the_specified_one() -> None:
    assert SILENCE_LIMIT.message == (
        "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset."
    )


def test_message_at_the_total_limit_names_the_limit() -> None:
    message = TimeLimitReached(kind="cap", seconds=840).message
    assert message == "The tool was stopped after 840 seconds, the maximum duration of a call."


def test_late_check_returns_one_notice_at_a_time() -> None:
    timer = SilenceTimer(Limits(), STARTED_AT)
    assert [timer.check(STARTED_AT + 26) for _ in range(4)] == [AFTER_15, AFTER_20, AFTER_25, None]


def test_check_after_the_silence_limit_skips_the_notices() -> None:
    assert SilenceTimer(Limits(), STARTED_AT).check(STARTED_AT + 31) == SILENCE_LIMIT


@pytest.mark.clause("v2.1:progress:resets")
@pytest.mark.parametrize("message_after", [1.0, 14.9, 17.0, 29.9])
def test_message_of_the_tool_restarts_the_silence(message_after: float) -> None:
    timer = SilenceTimer(Limits(), STARTED_AT)
    while timer.check(STARTED_AT + message_after):
        pass
    timer.reset(STARTED_AT + message_after)
    assert timer.next_deadline() == STARTED_AT + message_after + 15
    assert timer.check(STARTED_AT + message_after + 14.9) is None
    assert timer.check(STARTED_AT + message_after + 15) == AFTER_15
    assert timer.check(STARTED_AT + message_after + 30) == SILENCE_LIMIT


def test_tool_that_keeps_sending_messages_is_stopped_at_the_total_limit() -> None:
    timer = SilenceTimer(Limits(max_seconds=840), STARTED_AT)
    for second in range(0, 840, 5):
        assert timer.check(STARTED_AT + second) is None
        timer.reset(STARTED_AT + second)
    assert timer.next_deadline() == STARTED_AT + 840
    assert timer.check(STARTED_AT + 840) == TimeLimitReached(kind="cap", seconds=840)


def test_total_limit_wins_if_both_limits_are_reached() -> None:
    assert SilenceTimer(Limits(silence=30, max_seconds=30), STARTED_AT).check(STARTED_AT + 30) == TimeLimitReached(
        kind="cap", seconds=30
    )


def test_total_limit_below_the_silence_limit_ends_the_call() -> None:
    assert run_timer(SilenceTimer(Limits(max_seconds=18), STARTED_AT), 60) == [
        (15, AFTER_15),
        (18, TimeLimitReached(kind="cap", seconds=18)),
    ]


def test_default_notices_scale_with_the_silence_limit() -> None:
    reports = run_timer(SilenceTimer(Limits(silence=3), STARTED_AT), 10)
    assert [(round(at, 6), due.seconds) for at, due in reports] == [(1.5, 1.5), (2.0, 2.0), (2.5, 2.5), (3.0, 3.0)]


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        (Limits(silence=60), "10 seconds"),
        (Limits(silence=6), "1 second"),
        (Limits(silence=3), "0.5 seconds"),
        (Limits(silence=60, notices=(10, 20, 57)), "3 seconds"),
    ],
)
def test_last_notice_contains_the_remaining_time(limits: Limits, left: str) -> None:
    messages = [notice.message for notice in limits.notice_schedule()]
    assert messages == [
        AFTER_15.message,
        AFTER_20.message,
        f"Processing continues. The tool will timeout in {left} if no progress.",
    ]


def test_configured_notices_come_at_their_times() -> None:
    reports = run_timer(SilenceTimer(Limits(silence=60, notices=(10, 30, 50)), STARTED_AT), 100)
    assert [(at, due.seconds) for at, due in reports] == [(10, 10), (30, 30), (50, 50), (60, 60)]


@pytest.mark.parametrize("notices", [(20, 15, 25), (15, 15, 25), (15, 20, 30), (15, 20, 40)])
def test_notices_out_of_order_or_after_the_limit_are_invalid(notices: tuple[float, float, float]) -> None:
    with pytest.raises(ValidationError, match="three rising times below the silence limit of 30 s"):
        Limits(notices=notices)


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_limit_that_is_no_positive_duration_is_invalid(seconds: float) -> None:
    for name in ("silence", "max_seconds"):
        with pytest.raises(ValidationError):
            Limits.model_validate({name: seconds})


@pytest.mark.parametrize("started_at", [0.1, 1e-9, 12345.678, 987_654_321.123])
@pytest.mark.parametrize("silence_seconds", [0.3, 0.7, 30.0])
def test_check_at_the_next_deadline_always_returns_something(started_at: float, silence_seconds: float) -> None:
    timer = SilenceTimer(Limits(silence=silence_seconds), started_at)
    assert [timer.check(timer.next_deadline()) is not None for _ in range(4)] == [True] * 4


def test_first_item_passes_immediately() -> None:
    assert Throttle[int]().offer(1, 10.0) == 1


def test_four_items_per_second_pass() -> None:
    throttle = Throttle[int]()
    passed = [item for item in range(100) if throttle.offer(item, item / 100) is not None]
    assert passed == [0, 25, 50, 75]


def test_newest_held_item_is_flushed() -> None:
    throttle = Throttle[int]()
    assert [throttle.offer(item, item / 100) for item in (0, 1, 2)] == [0, None, None]
    assert throttle.flush(0.1) == 2


def test_flushed_item_is_no_longer_held() -> None:
    throttle = Throttle[int]()
    throttle.offer(0, 0.0)
    throttle.offer(1, 0.1)
    assert [throttle.flush(0.2), throttle.flush(0.2)] == [1, None]


def test_passing_item_discards_the_held_item() -> None:
    throttle = Throttle[int]()
    assert [throttle.offer(item, at) for item, at in ((0, 0.0), (1, 0.1), (2, 0.3))] == [0, None, 2]
    assert throttle.flush(0.4) is None


def test_due_time_is_the_end_of_the_interval_of_the_held_item() -> None:
    throttle = Throttle[int]()
    assert throttle.due_at == math.inf
    throttle.offer(0, 10.0)
    assert throttle.due_at == math.inf
    throttle.offer(1, 10.1)
    assert throttle.due_at == 10.25


def test_flushed_item_starts_a_new_interval() -> None:
    throttle = Throttle[int]()
    throttle.offer(0, 0.0)
    throttle.offer(1, 0.1)
    assert throttle.flush(0.25) == 1
    assert [throttle.offer(2, 0.4), throttle.offer(3, 0.5)] == [None, 3]
