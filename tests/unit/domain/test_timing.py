"""How long a tool may be silent, and what the person is told (spec 3 §11.3)."""

import pytest
from pydantic import ValidationError

from satchel.domain.timing import Limits, Notice, SilenceTimer, TimeLimitReached

AFTER_15 = Notice(seconds=15, left=15, message="The tool is taking longer than expected. Please wait...")
AFTER_20 = Notice(seconds=20, left=10, message="Still processing your request. This may take a few more moments.")
AFTER_25 = Notice(
    seconds=25, left=5, message="Processing continues. The tool will timeout in 5 seconds if no progress."
)
SILENT = TimeLimitReached(kind="silence", seconds=30)
BEGUN = 1000.0


def watch(silence: SilenceTimer, until: float) -> list[tuple[float, Notice | TimeLimitReached]]:
    """Look whenever the watch asks to be looked at, and tell what was due, and when after the beginning."""
    due: list[tuple[float, Notice | TimeLimitReached]] = []
    now = BEGUN
    while now <= BEGUN + until and not (due and isinstance(due[-1][1], TimeLimitReached)):
        while found := silence.check(now):
            due.append((now - BEGUN, found))
            if isinstance(found, TimeLimitReached):
                break
        assert silence.next_deadline() > now or isinstance(due[-1][1], TimeLimitReached)
        now = silence.next_deadline()
    return due


@pytest.mark.clause("v2.1:timeout:normal")
def test_ten_seconds_of_silence_are_normal() -> None:
    assert SilenceTimer(Limits(), BEGUN).check(BEGUN + 14.9) is None


@pytest.mark.clause(
    "v2.1:timeout:notice-15s", "v2.1:timeout:notice-20s", "v2.1:timeout:notice-25s", "v2.1:time:timeout"
)
def test_the_person_is_told_three_times_and_then_it_ends() -> None:
    assert watch(SilenceTimer(Limits(), BEGUN), 60) == [(15, AFTER_15), (20, AFTER_20), (25, AFTER_25), (30, SILENT)]


@pytest.mark.clause("v2.1:timeout:told")
def test_the_last_word_is_the_specifications() -> None:
    assert SILENT.message == (
        "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset."
    )


def test_at_the_cap_the_person_is_told_that_it_was_the_cap() -> None:
    told = TimeLimitReached(kind="cap", seconds=840).message
    assert told == "The tool was stopped after 840 seconds, the longest that a call of it may last."


def test_who_looks_late_gets_one_thing_at_a_time() -> None:
    silence = SilenceTimer(Limits(), BEGUN)
    assert [silence.check(BEGUN + 26) for _ in range(4)] == [AFTER_15, AFTER_20, AFTER_25, None]


def test_who_looks_much_too_late_gets_no_notices_any_more() -> None:
    assert SilenceTimer(Limits(), BEGUN).check(BEGUN + 31) == SILENT


@pytest.mark.clause("v2.1:progress:resets")
@pytest.mark.parametrize("spoken_after", [1.0, 14.9, 17.0, 29.9])
def test_any_word_starts_the_silence_anew(spoken_after: float) -> None:
    silence = SilenceTimer(Limits(), BEGUN)
    while silence.check(BEGUN + spoken_after):
        pass
    silence.reset(BEGUN + spoken_after)
    assert silence.next_deadline() == BEGUN + spoken_after + 15
    assert silence.check(BEGUN + spoken_after + 14.9) is None
    assert silence.check(BEGUN + spoken_after + 15) == AFTER_15
    assert silence.check(BEGUN + spoken_after + 30) == SILENT


def test_a_tool_that_keeps_talking_ends_at_the_cap_and_it_is_said_that_it_was_the_cap() -> None:
    silence = SilenceTimer(Limits(max_seconds=840), BEGUN)
    for second in range(0, 840, 5):
        assert silence.check(BEGUN + second) is None
        silence.reset(BEGUN + second)
    assert silence.next_deadline() == BEGUN + 840
    assert silence.check(BEGUN + 840) == TimeLimitReached(kind="cap", seconds=840)


def test_where_both_limits_are_over_the_cap_is_named() -> None:
    assert SilenceTimer(Limits(silence=30, max_seconds=30), BEGUN).check(BEGUN + 30) == TimeLimitReached(
        kind="cap", seconds=30
    )


def test_a_cap_below_the_silence_ends_the_call_at_the_cap() -> None:
    assert watch(SilenceTimer(Limits(max_seconds=18), BEGUN), 60) == [
        (15, AFTER_15),
        (18, TimeLimitReached(kind="cap", seconds=18)),
    ]


def test_the_notices_scale_with_the_limit_of_silence() -> None:
    told = watch(SilenceTimer(Limits(silence=3), BEGUN), 10)
    assert [(round(at, 6), due.seconds) for at, due in told] == [(1.5, 1.5), (2.0, 2.0), (2.5, 2.5), (3.0, 3.0)]


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        (Limits(silence=60), "10 seconds"),
        (Limits(silence=6), "1 second"),
        (Limits(silence=3), "0.5 seconds"),
        (Limits(silence=60, notices=(10, 20, 57)), "3 seconds"),
    ],
)
def test_the_last_notice_says_how_long_is_left(limits: Limits, left: str) -> None:
    words = [notice.message for notice in limits.notice_schedule()]
    assert words == [
        AFTER_15.message,
        AFTER_20.message,
        f"Processing continues. The tool will timeout in {left} if no progress.",
    ]


def test_the_notices_come_when_it_is_said_that_they_come() -> None:
    told = watch(SilenceTimer(Limits(silence=60, notices=(10, 30, 50)), BEGUN), 100)
    assert [(at, due.seconds) for at, due in told] == [(10, 10), (30, 30), (50, 50), (60, 60)]


@pytest.mark.parametrize("notices", [(20, 15, 25), (15, 15, 25), (15, 20, 30), (15, 20, 40)])
def test_notices_rise_and_come_before_the_end(notices: tuple[float, float, float]) -> None:
    with pytest.raises(ValidationError, match="three rising times below the 30 s of silence"):
        Limits(notices=notices)


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_a_limit_is_a_length_of_time(seconds: float) -> None:
    for name in ("silence", "max_seconds"):
        with pytest.raises(ValidationError):
            Limits.model_validate({name: seconds})


@pytest.mark.parametrize("begun", [0.1, 1e-9, 12345.678, 987_654_321.123])
@pytest.mark.parametrize("silence_limit", [0.3, 0.7, 30.0])
def test_what_is_due_when_it_asks_to_be_looked_at_is_found(begun: float, silence_limit: float) -> None:
    silence = SilenceTimer(Limits(silence=silence_limit), begun)
    assert [silence.check(silence.next_deadline()) is not None for _ in range(4)] == [True] * 4
