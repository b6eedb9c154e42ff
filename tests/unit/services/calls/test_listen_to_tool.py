"""Following a running call: what is passed on, when the person is warned, when it ends (spec 3 §11)."""

import logging
from contextlib import suppress
from typing import Any

import pytest

from satchel.contract import ToolOutput
from satchel.contract.errors import FileTooLarge, ToolCrashed, ToolFailed, ToolTimedOut
from satchel.domain.timing import Limits
from satchel.ports.tool_client import CallFailure, LogMessage, ProgressUpdate, ToolResult
from satchel.services.calls.listen_to_tool import MAX_TEXT_CHARS, ListenToTool
from satchel.services.calls.violations import Violations
from tests.fakes.system import FakeClock
from tests.fakes.tool_client import FakeRunningCall, Script
from tests.fakes.turns import FakeEvents
from tests.unit.services.orders import CALL_ID, TURN_ID, order

NOTICES = {notice.seconds: notice.message for notice in Limits().announced()}
SILENT = "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset."
ANSWER = ToolResult(raw={"content": [], "structuredContent": {"results": 1}})
Told = tuple[float, str, dict[str, Any]]


class Listening:
    """One call that follows a script, and what was told of it, with the second in which it was."""

    def __init__(self, script: Script, limits: Limits | None = None) -> None:
        self.clock = FakeClock()
        self.begun = self.clock.now()
        self.events = FakeEvents(self.clock)
        self.running = FakeRunningCall(self.clock, script)
        called = order(limits=limits)
        self.violations = Violations(called)
        self.listen = ListenToTool(self.events, self.clock, called, self.violations)

    def answer(self) -> ToolResult:
        return self.listen(self.running)

    def told(self) -> list[Told]:
        """Return second, type and payload of each event, the call's id taken off."""
        events = self.events.after(TURN_ID, 0, 10_000)
        assert {event.payload["call_id"] for event in events} <= {CALL_ID}
        return [
            (
                (event.at - self.begun).total_seconds(),
                event.type,
                {key: value for key, value in event.payload.items() if key != "call_id"},
            )
            for event in events
        ]


def notice(seconds: int) -> Told:
    return seconds, "tool_notice", {"seconds": seconds, "left_seconds": 30 - seconds, "message": NOTICES[seconds]}


def progress(at: float, done: float, total: float | None, percentage: float | None, message: str = "") -> Told:
    said = {"progress": done, "total": total, "percentage": percentage, "message": message}
    return at, "tool_progress", said


# Answers


@pytest.mark.clause("v2.1:timeout:normal")
def test_an_answer_in_time_is_returned_and_nobody_is_told_anything() -> None:
    call = Listening([(14.9, ANSWER)])
    assert call.answer() == ANSWER
    assert call.told() == []
    assert call.running.killed_at is None


def test_an_answer_in_the_last_moment_counts() -> None:
    call = Listening([(29.999, ANSWER)])
    assert call.answer() == ANSWER
    assert call.told() == [notice(15), notice(20), notice(25)]


@pytest.mark.clause("v2.1:progress:shown")
def test_what_a_tool_logs_is_passed_on() -> None:
    call = Listening([(1, LogMessage(level="info", message="Starting")), (2, ANSWER)])
    call.answer()
    assert call.told() == [(1, "tool_log", {"level": "info", "message": "Starting"})]


# Silence


@pytest.mark.clause(
    "v2.1:timeout:notice-15s",
    "v2.1:timeout:notice-20s",
    "v2.1:timeout:notice-25s",
    "v2.1:time:timeout",
    "v2.1:timeout:told",
)
def test_a_silent_tool_is_announced_three_times_then_killed() -> None:
    call = Listening([])
    with pytest.raises(ToolTimedOut) as ended:
        call.answer()
    assert call.told() == [
        notice(15),
        notice(20),
        notice(25),
        (30, "tool_notice", {"seconds": 30, "left_seconds": 0, "message": SILENT}),
    ]
    assert call.running.killed_at == 1030
    assert ToolOutput.from_error(ended.value).meta_data["details"] == {
        "timeout_seconds": 30,
        "last_progress": None,
        "suggestion": "Consider breaking large operations into smaller chunks or using progress reporting",
    }


def test_the_server_is_dead_before_anybody_is_told_that_it_timed_out() -> None:
    call = Listening([])
    alive: list[bool] = []
    call.events.on_append = lambda: alive.append(call.running.killed_at is None)
    with pytest.raises(ToolTimedOut):
        call.answer()
    assert alive == [True, True, True, False]


@pytest.mark.clause("v2.1:progress:resets")
@pytest.mark.parametrize("word", [ProgressUpdate(progress=1), LogMessage(level="info", message="I am here")])
def test_any_word_starts_the_silence_anew(word: ProgressUpdate | LogMessage) -> None:
    call = Listening([(29, word), (58, ANSWER)])
    assert call.answer() == ANSWER
    assert [at for at, kind, _ in call.told() if kind == "tool_notice"] == [15, 20, 25, 44, 49, 54]


@pytest.mark.clause("v2.1:errors:timeout")
def test_after_a_time_out_the_last_progress_is_known_by_its_words() -> None:
    call = Listening(
        [(1, ProgressUpdate(progress=44, total=200)), (2, ProgressUpdate(progress=45, message="chunk 45"))]
    )
    with pytest.raises(ToolTimedOut) as ended:
        call.answer()
    assert ended.value.details["last_progress"] == "chunk 45"
    assert call.running.killed_at == 1032


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (ProgressUpdate(progress=45, total=200), "45/200"),
        (ProgressUpdate(progress=0.5, total=1), "0.5/1"),
        (ProgressUpdate(progress=45), "45"),
        (ProgressUpdate(progress=45, total=0), "45"),
    ],
)
def test_progress_without_words_is_known_by_its_figures(said: ProgressUpdate, known: str) -> None:
    call = Listening([(1, said)])
    with pytest.raises(ToolTimedOut) as ended:
        call.answer()
    assert ended.value.details["last_progress"] == known


def test_a_tool_that_never_ends_is_ended_at_the_cap_and_the_error_says_so() -> None:
    call = Listening(
        [(second, ProgressUpdate(progress=second)) for second in range(14, 200, 14)], Limits(max_seconds=100)
    )
    with pytest.raises(ToolTimedOut) as ended:
        call.answer()
    assert call.running.killed_at == 1100
    details = ended.value.details
    assert (details["timeout_seconds"], details["limit"], details["last_progress"]) == (100, "absolute", "98")
    said = "The tool was stopped after 100 seconds, the longest that a call of it may last."
    assert call.told()[-1] == (100, "tool_notice", {"seconds": 100, "left_seconds": 0, "message": said})


def test_the_times_may_be_set() -> None:
    call = Listening([], Limits(silence=60, notices=(10, 30, 50)))
    with pytest.raises(ToolTimedOut) as ended:
        call.answer()
    assert [at for at, _, _ in call.told()] == [10, 30, 50, 60]
    assert ended.value.details["timeout_seconds"] == 60


def test_the_times_scale_with_the_limit_of_silence() -> None:
    call = Listening([], Limits(silence=3))
    with pytest.raises(ToolTimedOut):
        call.answer()
    assert [at for at, _, _ in call.told()] == [1.5, 2, 2.5, 3]


# Progress


@pytest.mark.clause("v2.1:progress:shown")
def test_progress_is_passed_on_with_its_percentage() -> None:
    said: Script = [
        (1, ProgressUpdate(progress=1, total=3, message="One of three")),
        (2, ProgressUpdate(progress=5)),
        (3, ProgressUpdate(progress=0, total=10)),
        (4, ProgressUpdate(progress=1, total=0)),
        (5, ANSWER),
    ]
    call = Listening(said)
    call.answer()
    assert call.told() == [
        progress(1, 1, 3, 33.3, "One of three"),
        progress(2, 5, None, None),
        progress(3, 0, 10, 0),
        progress(4, 1, 0, None),
    ]


def test_much_progress_is_thinned_and_the_last_one_always_comes() -> None:
    said = [(number / 100, ProgressUpdate(progress=number, total=100)) for number in range(1, 101)]
    call = Listening([*said, (1.01, ANSWER)])
    call.answer()
    assert [(at, told["progress"]) for at, _, told in call.told()] == [
        (0.01, 1),
        (0.26, 26),
        (0.51, 51),
        (0.76, 76),
        (1.01, 100),
    ]


@pytest.mark.parametrize("end", [ANSWER, CallFailure(crashed=True, message="gone")])
def test_however_a_call_ends_all_progress_that_came_was_counted(
    end: ToolResult | CallFailure, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    call = Listening([*[(1, ProgressUpdate(progress=number)) for number in range(200)], (2, end)])
    with suppress(ToolCrashed):
        call.answer()
    (line,) = (record for record in caplog.records if record.message == "the tool has ended")
    assert (vars(line)["call_id"], vars(line)["progress_received"]) == (CALL_ID, 200)


def test_progress_that_is_held_is_shown_as_soon_as_it_may_not_when_the_tool_speaks_again() -> None:
    call = Listening([(1, ProgressUpdate(progress=1)), (1.1, ProgressUpdate(progress=2)), (12, ANSWER)])
    call.answer()
    assert [(at, told["progress"]) for at, _, told in call.told()] == [(1, 1), (1.25, 2)]


@pytest.mark.parametrize(
    "end", [ANSWER, CallFailure(crashed=True, message="gone"), CallFailure(crashed=False, message="refused")]
)
def test_however_a_call_ends_its_last_progress_was_shown(end: ToolResult | CallFailure) -> None:
    call = Listening([(1, ProgressUpdate(progress=1)), (1.1, ProgressUpdate(progress=2)), (1.2, end)])
    with suppress(ToolCrashed, ToolFailed):
        call.answer()
    assert [told["progress"] for _, _, told in call.told()] == [1, 2]


def test_progress_that_is_no_number_breaks_nothing() -> None:
    call = Listening([(1, ProgressUpdate(progress=float("nan"), total=float("inf"))), (2, ANSWER)])
    assert call.answer() == ANSWER
    assert call.told() == [(1, "tool_progress", {"progress": None, "total": None, "percentage": None, "message": ""})]


# Ends


def test_a_server_that_is_gone_has_crashed() -> None:
    with pytest.raises(ToolCrashed, match="killed by signal 9"):
        Listening([(1, CallFailure(crashed=True, message="killed by signal 9"))]).answer()


def test_a_server_that_refuses_the_call_has_failed() -> None:
    with pytest.raises(ToolFailed, match="no such method"):
        Listening([(1, CallFailure(crashed=False, message="no such method"))]).answer()


def test_an_answer_that_is_too_long_is_said_to_be() -> None:
    with pytest.raises(FileTooLarge) as ended:
        Listening([(1, CallFailure(crashed=True, message="too long", exceeded_limit=1000))]).answer()
    assert ended.value.message == "The tool's answer exceeds processing limits"
    assert ended.value.details["current_limit_bytes"] == 1000


# What a tool says is no place for bytes and links

LINK = "fetching https://satchel.example/api/files/download/f1?token=secret now"


def test_the_link_that_a_tool_was_given_is_not_passed_on() -> None:
    call = Listening([(1, LogMessage(level="info", message=LINK)), (2, ProgressUpdate(progress=1, message=LINK))])
    with pytest.raises(ToolTimedOut) as ended:
        call.answer()
    assert ended.value.details["last_progress"] == "fetching [file link omitted] now"
    assert "secret" not in call.events.text(TURN_ID)


@pytest.mark.parametrize("crashed", [True, False])
def test_neither_is_it_in_the_error(crashed: bool) -> None:  # noqa: FBT001 (a row)
    with pytest.raises((ToolCrashed, ToolFailed)) as ended:
        Listening([(1, CallFailure(crashed=crashed, message=LINK))]).answer()
    assert "secret" not in str(ToolOutput.from_error(ended.value))


def test_what_a_tool_says_may_be_long_but_is_cut() -> None:
    words = "word " * 10_000
    call = Listening([(1, LogMessage(level="info", message=words)), (2, CallFailure(crashed=False, message=words))])
    with pytest.raises(ToolFailed) as ended:
        call.answer()
    assert (len(call.told()[0][2]["message"]), len(ended.value.message)) == (MAX_TEXT_CHARS, MAX_TEXT_CHARS)
