"""Following a running call: its events, its notices and its time limits."""

import logging
import re
from contextlib import suppress
from typing import Any

import pytest

from satchel.contract import ToolOutput
from satchel.contract.errors import FileTooLarge, NotAnswered, ToolCrashed, ToolFailed, ToolTimedOut
from satchel.domain.inputs import InputAnswer
from satchel.domain.timing import Limits
from satchel.ports.tool_client import (
    AskedQuestion,
    CallFailure,
    ClosedQuestion,
    LogMessage,
    ProgressUpdate,
    QuestionRefused,
    ToolResult,
)
from satchel.services.calls.ask_during_call import AskDuringCall
from satchel.services.calls.listen_to_tool import MAX_TEXT_CHARS, ListenToTool
from satchel.services.calls.violations import Violations
from tests.fakes.calls import FakeCalls
from tests.fakes.system import FakeClock
from tests.fakes.tool_client import FakeRunningCall, Script
from tests.fakes.turns import FakeEvents
from tests.unit.services.orders import CALL_ID, TURN_ID, order

NOTICES = {notice.seconds: notice.message for notice in Limits().notice_schedule()}
SILENT = "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset."
RESULT = ToolResult(raw={"content": [], "structuredContent": {"results": 1}})
PublishedEvent = tuple[float, str, dict[str, Any]]


class ScriptedCall:
    """A call that follows a script, and its published events with their times."""

    def __init__(self, script: Script, limits: Limits | None = None) -> None:
        self.clock = FakeClock()
        self.started_at = self.clock.now()
        self.events = FakeEvents(self.clock)
        self.running = FakeRunningCall(self.clock, script)
        called = order(limits=limits)
        self.violations = Violations(called)
        self.claims = FakeCalls()
        ask = AskDuringCall(self.events, self.claims, self.clock, called, seconds=300)
        self.listen = ListenToTool(self.events, self.clock, called, self.violations, ask)

    def run(self) -> ToolResult:
        result = self.listen(self.running)
        assert isinstance(result, ToolResult)
        return result

    def published(self) -> list[PublishedEvent]:
        """Return the second, type and payload of each event, without the call id."""
        events = self.events.list_after(TURN_ID, 0, 10_000)
        assert {event.payload["call_id"] for event in events} <= {CALL_ID}
        return [
            (
                (event.at - self.started_at).total_seconds(),
                event.type,
                {key: value for key, value in event.payload.items() if key != "call_id"},
            )
            for event in events
        ]


def notice(seconds: int) -> PublishedEvent:
    return seconds, "tool_notice", {"seconds": seconds, "left_seconds": 30 - seconds, "message": NOTICES[seconds]}


def progress(
    at: float, done: float, total: float | None, percentage: float | None, message: str = ""
) -> PublishedEvent:
    payload = {"progress": done, "total": total, "percentage": percentage, "message": message}
    return at, "tool_progress", payload


# Results


@pytest.mark.clause("v2.1:timeout:normal")
def test_result_in_time_is_returned_without_events() -> None:
    call = ScriptedCall([(14.9, RESULT)])
    assert call.run() == RESULT
    assert call.published() == []
    assert call.running.killed_at is None


def test_result_just_before_the_timeout_is_returned() -> None:
    call = ScriptedCall([(29.999, RESULT)])
    assert call.run() == RESULT
    assert call.published() == [notice(15), notice(20), notice(25)]


@pytest.mark.clause("v2.1:progress:shown")
def test_log_messages_are_published() -> None:
    call = ScriptedCall([(1, LogMessage(level="info", message="Starting")), (2, RESULT)])
    call.run()
    assert call.published() == [(1, "tool_log", {"level": "info", "message": "Starting"})]


# Silence


@pytest.mark.clause(
    "v2.1:timeout:notice-15s",
    "v2.1:timeout:notice-20s",
    "v2.1:timeout:notice-25s",
    "v2.1:time:timeout",
    "v2.1:timeout:told",
)
def test_silent_tool_gets_three_notices_and_is_killed() -> None:
    call = ScriptedCall([])
    with pytest.raises(ToolTimedOut) as ended:
        call.run()
    assert call.published() == [
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


def test_server_is_killed_before_the_timeout_is_published() -> None:
    call = ScriptedCall([])
    was_alive: list[bool] = []
    call.events.on_append = lambda: was_alive.append(call.running.killed_at is None)
    with pytest.raises(ToolTimedOut):
        call.run()
    assert was_alive == [True, True, True, False]


@pytest.mark.clause("v2.1:progress:resets")
@pytest.mark.parametrize("event", [ProgressUpdate(progress=1), LogMessage(level="info", message="Working")])
def test_progress_and_logs_restart_the_silence(event: ProgressUpdate | LogMessage) -> None:
    call = ScriptedCall([(29, event), (58, RESULT)])
    assert call.run() == RESULT
    assert [at for at, kind, _ in call.published() if kind == "tool_notice"] == [15, 20, 25, 44, 49, 54]


@pytest.mark.clause("v2.1:errors:timeout")
def test_timeout_error_contains_the_last_progress_message() -> None:
    call = ScriptedCall(
        [(1, ProgressUpdate(progress=44, total=200)), (2, ProgressUpdate(progress=45, message="chunk 45"))]
    )
    with pytest.raises(ToolTimedOut) as ended:
        call.run()
    assert ended.value.details["last_progress"] == "chunk 45"
    assert call.running.killed_at == 1032


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (ProgressUpdate(progress=45, total=200), "45/200"),
        (ProgressUpdate(progress=0.5, total=1), "0.5/1"),
        (ProgressUpdate(progress=45), "45"),
        (ProgressUpdate(progress=45, total=0), "45"),
    ],
)
def test_timeout_error_contains_the_numbers_of_progress_without_message(progress: ProgressUpdate, text: str) -> None:
    call = ScriptedCall([(1, progress)])
    with pytest.raises(ToolTimedOut) as ended:
        call.run()
    assert ended.value.details["last_progress"] == text


def test_tool_is_killed_at_the_maximum_duration() -> None:
    call = ScriptedCall(
        [(second, ProgressUpdate(progress=second)) for second in range(14, 200, 14)], Limits(max_seconds=100)
    )
    with pytest.raises(ToolTimedOut) as ended:
        call.run()
    assert call.running.killed_at == 1100
    details = ended.value.details
    assert (details["timeout_seconds"], details["limit"], details["last_progress"]) == (100, "absolute", "98")
    message = "The tool was stopped after 100 seconds, the maximum duration of a call."
    assert call.published()[-1] == (100, "tool_notice", {"seconds": 100, "left_seconds": 0, "message": message})


def test_time_limits_are_configurable() -> None:
    call = ScriptedCall([], Limits(silence=60, notices=(10, 30, 50)))
    with pytest.raises(ToolTimedOut) as ended:
        call.run()
    assert [at for at, _, _ in call.published()] == [10, 30, 50, 60]
    assert ended.value.details["timeout_seconds"] == 60


def test_notices_scale_with_the_silence_limit() -> None:
    call = ScriptedCall([], Limits(silence=3))
    with pytest.raises(ToolTimedOut):
        call.run()
    assert [at for at, _, _ in call.published()] == [1.5, 2, 2.5, 3]


# Progress


@pytest.mark.clause("v2.1:progress:shown")
def test_progress_is_published_with_its_percentage() -> None:
    script: Script = [
        (1, ProgressUpdate(progress=1, total=3, message="One of three")),
        (2, ProgressUpdate(progress=5)),
        (3, ProgressUpdate(progress=0, total=10)),
        (4, ProgressUpdate(progress=1, total=0)),
        (5, RESULT),
    ]
    call = ScriptedCall(script)
    call.run()
    assert call.published() == [
        progress(1, 1, 3, 33.3, "One of three"),
        progress(2, 5, None, None),
        progress(3, 0, 10, 0),
        progress(4, 1, 0, None),
    ]


def test_frequent_progress_is_throttled_and_the_last_is_published() -> None:
    updates = [(number / 100, ProgressUpdate(progress=number, total=100)) for number in range(1, 101)]
    call = ScriptedCall([*updates, (1.01, RESULT)])
    call.run()
    assert [(at, payload["progress"]) for at, _, payload in call.published()] == [
        (0.01, 1),
        (0.26, 26),
        (0.51, 51),
        (0.76, 76),
        (1.01, 100),
    ]


@pytest.mark.parametrize("end", [RESULT, CallFailure(crashed=True, message="gone")])
def test_all_progress_is_counted_however_the_call_ends(
    end: ToolResult | CallFailure, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    call = ScriptedCall([*[(1, ProgressUpdate(progress=number)) for number in range(200)], (2, end)])
    with suppress(ToolCrashed):
        call.run()
    (line,) = (record for record in caplog.records if record.message == "the tool has ended")
    assert (vars(line)["call_id"], vars(line)["progress_received"]) == (CALL_ID, 200)


def test_held_progress_is_published_when_due_without_a_new_event() -> None:
    call = ScriptedCall([(1, ProgressUpdate(progress=1)), (1.1, ProgressUpdate(progress=2)), (12, RESULT)])
    call.run()
    assert [(at, payload["progress"]) for at, _, payload in call.published()] == [(1, 1), (1.25, 2)]


@pytest.mark.parametrize(
    "end", [RESULT, CallFailure(crashed=True, message="gone"), CallFailure(crashed=False, message="refused")]
)
def test_last_progress_is_published_however_the_call_ends(end: ToolResult | CallFailure) -> None:
    call = ScriptedCall([(1, ProgressUpdate(progress=1)), (1.1, ProgressUpdate(progress=2)), (1.2, end)])
    with suppress(ToolCrashed, ToolFailed):
        call.run()
    assert [payload["progress"] for _, _, payload in call.published()] == [1, 2]


def test_progress_that_is_not_finite_is_published_as_null() -> None:
    call = ScriptedCall([(1, ProgressUpdate(progress=float("nan"), total=float("inf"))), (2, RESULT)])
    assert call.run() == RESULT
    assert call.published() == [
        (1, "tool_progress", {"progress": None, "total": None, "percentage": None, "message": ""})
    ]


# Ends


def test_crashed_server_raises_tool_crashed() -> None:
    with pytest.raises(ToolCrashed, match="killed by signal 9"):
        ScriptedCall([(1, CallFailure(crashed=True, message="killed by signal 9"))]).run()


def test_rejected_call_raises_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="no such method"):
        ScriptedCall([(1, CallFailure(crashed=False, message="no such method"))]).run()


def test_too_large_result_raises_file_too_large() -> None:
    with pytest.raises(FileTooLarge) as ended:
        ScriptedCall([(1, CallFailure(crashed=True, message="too long", exceeded_limit=1000))]).run()
    assert ended.value.message == "The tool's result exceeds processing limits"
    assert ended.value.details["current_limit_bytes"] == 1000


# Links and long texts

LINK = "fetching https://satchel.example/api/files/download/f1?token=secret now"


def test_file_links_are_removed_from_events_and_timeout_errors() -> None:
    call = ScriptedCall([(1, LogMessage(level="info", message=LINK)), (2, ProgressUpdate(progress=1, message=LINK))])
    with pytest.raises(ToolTimedOut) as ended:
        call.run()
    assert ended.value.details["last_progress"] == "fetching [file link omitted] now"
    assert "secret" not in call.events.stored_json(TURN_ID)


@pytest.mark.parametrize("crashed", [True, False])
def test_file_links_are_removed_from_failure_messages(crashed: bool) -> None:  # noqa: FBT001 (a row)
    with pytest.raises((ToolCrashed, ToolFailed)) as ended:
        ScriptedCall([(1, CallFailure(crashed=crashed, message=LINK))]).run()
    assert "secret" not in str(ToolOutput.from_error(ended.value))


def test_long_texts_of_a_tool_are_cut() -> None:
    text = "word " * 10_000
    call = ScriptedCall([(1, LogMessage(level="info", message=text)), (2, CallFailure(crashed=False, message=text))])
    with pytest.raises(ToolFailed) as ended:
        call.run()
    assert (len(call.published()[0][2]["message"]), len(ended.value.message)) == (MAX_TEXT_CHARS, MAX_TEXT_CHARS)


# Questions

QUESTION = AskedQuestion(
    id=7, request={"message": "Where to?", "requestedSchema": {"type": "object", "properties": {}}}
)
YES = InputAnswer(input_id="1-0", action="accept", content={})


def asked_ids(call: ScriptedCall) -> list[str]:
    return [payload["input_id"] for _, kind, payload in call.published() if kind == "input_requested"]


def test_silence_is_not_measured_while_a_question_is_open() -> None:
    call = ScriptedCall([(1, QUESTION), (200, LogMessage(level="info", message="waiting")), (290, RESULT)])
    assert call.run() == RESULT
    assert [kind for _, kind, _ in call.published()] == ["input_requested", "tool_log"]


def test_answer_reaches_the_tool_whose_silence_counts_again() -> None:
    call = ScriptedCall([(1, QUESTION)])
    call.claims.answers[CALL_ID, "1-0"] = YES
    call.running.on_reply = [(29, RESULT)]
    assert call.run() == RESULT
    assert call.running.replies == [(7, YES)]
    assert [at for at, kind, _ in call.published() if kind == "tool_notice"] == [16.5, 21.5, 26.5]


def test_question_without_an_answer_fails_the_call_at_the_bound() -> None:
    call = ScriptedCall([(1, QUESTION)])
    with pytest.raises(NotAnswered, match="did not answer"):
        call.run()
    ((at, _, payload),) = call.published()
    assert (at, payload["bound_seconds"]) == (1, 300)
    assert call.running.killed_at == 1301


def test_wait_for_the_user_ends_with_the_maximum_duration_of_the_call() -> None:
    call = ScriptedCall([(50, ProgressUpdate(progress=1)), (60, QUESTION)], Limits(silence=70, max_seconds=100))
    with pytest.raises(NotAnswered):
        call.run()
    assert call.running.killed_at == 1100


def test_questions_at_once_are_asked_one_after_the_other() -> None:
    call = ScriptedCall([(1, QUESTION), (1, QUESTION.model_copy(update={"id": 8})), (20, RESULT)])
    call.claims.answers[CALL_ID, "1-0"] = YES
    call.claims.answers[CALL_ID, "2-0"] = YES.model_copy(update={"input_id": "2-0"})
    call.run()
    assert asked_ids(call) == ["1-0", "2-0"]
    assert [question for question, _ in call.running.replies] == [7, 8]


def test_question_that_the_tool_withdraws_is_closed_and_the_next_one_asked() -> None:
    other = QUESTION.model_copy(update={"id": 8})
    call = ScriptedCall([(1, QUESTION), (2, other), (3, ClosedQuestion(id=7)), (4, RESULT)])
    call.run()
    assert [(kind, payload["input_id"]) for _, kind, payload in call.published()] == [
        ("input_requested", "1-0"),
        ("input_answered", "1-0"),
        ("input_requested", "2-0"),
    ]


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"message": "Hi", "mode": "voice"}, "mode"),
        ({"message": "Hi", "mode": "url", "url": "javascript:alert(1)"}, "no web address"),
        ({"message": "x", "requestedSchema": {"properties": {"a": {"type": "object"}}}}, "requestedSchema|form"),
    ],
)
def test_question_that_cannot_be_shown_is_refused_with_the_reason(request_: dict[str, Any], reason: str) -> None:
    call = ScriptedCall([(1, AskedQuestion(id=7, request=request_)), (2, RESULT)])
    call.run()
    ((_, refusal),) = call.running.replies
    assert isinstance(refusal, QuestionRefused)
    assert re.search(reason, refusal.reason)
    assert call.published() == []


def test_tool_that_asks_without_end_is_refused() -> None:
    call = ScriptedCall([(1, QUESTION.model_copy(update={"id": number})) for number in range(12)] + [(20, RESULT)])
    for number in range(1, 13):
        call.claims.answers[CALL_ID, f"{number}-0"] = YES
    call.run()
    assert len(asked_ids(call)) == 10
    assert [isinstance(answer, QuestionRefused) for _, answer in call.running.replies] == [False] * 10 + [True] * 2
