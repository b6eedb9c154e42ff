"""Ending turns: every turn ends once, with one last event."""

import json
import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from satchel.contract.errors import InvalidArguments
from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import AssistantMessage, ModelReply, ProposedCall, TokenUsage
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.llm import ModelError
from satchel.domain.metrics import TURN_DURATION, TURNS
from satchel.domain.responses import ResponseDisplay, TurnError
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.size_limits import MAX_EVENT_BYTES
from satchel.domain.steps import MAX_CORRECTIONS, Failure
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.samples import ALICE
from tests.unit.services.wiring import MAX_ROUNDS
from tests.unit.services.world import World, call_step, turn_step

CALLS = [ProposedCall(tool="report.echo", arguments="{}", ref="m-1")]
FAILED = TurnError(
    error_code="E_TURN_FAILED",
    message="The turn failed because of an internal error. The results of finished tools are saved. Please try again.",
)
TIMED_OUT = TurnError(error_code="E_TURN_TIMEOUT", message="The turn exceeded the maximum duration and was stopped.")
CANCELLED = TurnError(error_code="E_CANCELLED", message="The turn was cancelled.")
CANCELLED_EVENT = NewEvent(type="turn_failed", payload={"status": "cancelled", "error": CANCELLED.model_dump()})
TOO_MANY = TurnError(
    error_code="E_TOO_MANY_ROUNDS",
    message=f"The model called tools in {MAX_ROUNDS} rounds, the maximum of a turn, and gave no answer. The results "
    "of the tools are saved: send another message to continue.",
)


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


def add_reply(world: World, turn: Turn, text: str, round_number: int = 0, *, calls_tools: bool = False) -> None:
    """Store a reply of the model."""
    message = AssistantMessage(text=text, calls=CALLS if calls_tools else [])
    world.transcript.add_reply(turn, round_number, message)


def stored(world: World, turn: Turn) -> Turn:
    turn_now = world.turns.get(turn.session_id, turn.turn_id)
    assert turn_now is not None
    return turn_now


def last_event(world: World, turn: Turn) -> tuple[str, dict[str, Any]]:
    """Return the one last event of a turn."""
    ((kind, payload),) = world.events.payloads(turn.turn_id, "response_complete", "turn_failed")
    return kind, payload


def test_answer_completes_the_turn(world: World, turn: Turn) -> None:
    add_reply(world, turn, "Here you are.")
    world.clock.advance(3)
    assert world.use_cases.finish_turn(turn_step(turn, 1)) is TurnStatus.COMPLETE
    ended = {"status": TurnStatus.COMPLETE, "answer": "Here you are.", "ended_at": world.clock.now()}
    assert stored(world, turn) == turn.model_copy(update=ended)
    assert last_event(world, turn) == (
        "response_complete",
        {
            "response": {
                "turn_id": turn.turn_id,
                "session_id": turn.session_id,
                "status": "complete",
                "message": "Here you are.",
                "answer": "Here you are.",
                "model": "quick",
                "usage": {
                    "input_tokens": 0,
                    "output_tokens": 0,
                    "cache_read_tokens": 0,
                    "cache_write_tokens": 0,
                    "media_tokens": 0,
                },
                "artifacts": [],
                "deferred_artifacts": [],
                "display": ResponseDisplay().model_dump(),
                "canvas": None,
                "canvases": [],
                "tool_calls": [],
                "inputs": [],
                "imported": False,
                "error": None,
            }
        },
    )


def test_number_of_the_last_event_is_read_with_the_turn(
    world: World, turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(world.events, "read_last_number", read.append)
    world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)
    assert read == [turn.turn_id]


def test_answer_of_the_last_round_counts(world: World, turn: Turn) -> None:
    add_reply(world, turn, "One moment.", 0, calls_tools=True)
    add_reply(world, turn, "It was a.", 1)
    world.use_cases.finish_turn(turn_step(turn, 2))
    assert stored(world, turn).answer == "It was a."


def test_last_event_references_files_without_results_and_content(world: World, turn: Turn) -> None:
    call = world.call(turn)
    files = [world.stored_file(call, "a.html")]
    world.finish_call(call, RunnerReport(results="a long result", meta_data={"n": "fact"}, files=files))
    add_reply(world, turn, "Made.")
    world.use_cases.finish_turn(turn_step(turn, 1))
    ((_, error_of),) = world.events.payloads(turn.turn_id, "response_complete")
    response = error_of["response"]
    assert [(a["name"], a["content"]) for a in response["artifacts"]] == [("a.html", None)]
    [summary] = response["tool_calls"]
    assert {name for name, value in summary.items() if value is not None} == {
        *("call_id", "tool", "server", "is_error", "duration_ms"),
    }
    assert "a long result" not in json.dumps(response)


def test_last_event_has_the_expiry_of_deferred_files_as_text(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.docx", deferred=True, expires_hours=1)]))
    add_reply(world, turn, "Made.")
    world.use_cases.finish_turn(turn_step(turn, 1))
    [deferred] = last_event(world, turn)[1]["response"]["deferred_artifacts"]
    assert datetime.fromisoformat(deferred["expires_at"]) == world.clock.now() + timedelta(hours=1)


def test_too_large_response_is_null(world: World, turn: Turn) -> None:
    add_reply(world, turn, "")
    usage = TokenUsage(input_tokens=10)
    world.turns.add_usage(turn, usage)
    world.use_cases.finish_turn(turn_step(turn, 1))
    size = len(json.dumps(last_event(world, turn)[1]["response"], ensure_ascii=False).encode())
    # the answer is in the response twice, also as `message`, so the rest of the response must be even
    assert (MAX_EVENT_BYTES - size) % 2 == 0
    largest = "ä" + "x" * ((MAX_EVENT_BYTES - size) // 2 - len("ä".encode()))

    for answer, is_complete in ((largest, True), (largest + "x", False)):
        other = world.turn(world.session())
        world.turns.add_usage(other, usage)
        add_reply(world, other, answer)
        world.use_cases.finish_turn(turn_step(other, 1))
        response = last_event(world, other)[1]["response"]
        if is_complete:
            assert response["message"] == answer
        else:
            assert response is None


@pytest.mark.parametrize(
    ("rounds", "code", "message"),
    [
        (MAX_CORRECTIONS, "E_TOO_MANY_ROUNDS", "called tools in 3 rounds"),
        (MAX_CORRECTIONS + 1, "E_TOO_MANY_MISTAKES", "made invalid tool calls 4 times"),
    ],
)
def test_more_mistaken_rounds_than_corrections_have_their_own_error(
    world: World, turn: Turn, rounds: int, code: str, message: str
) -> None:
    for number in range(rounds):
        for index in range(2):
            call = world.call(turn, round_number=number, index=index)
            world.finish_call(call, RunnerReport.from_error(InvalidArguments(["text is missing"])))
    add_reply(world, turn, "Again.", rounds, calls_tools=True)

    world.use_cases.finish_turn(turn_step(turn, rounds + 1))

    error = stored(world, turn).error
    assert error is not None
    assert (error.error_code, message in error.message) == (code, True)


def test_calls_without_a_result_are_stopped(world: World, turn: Turn) -> None:
    interrupted, complete = world.call(turn), world.call(turn, index=1)
    world.finish_call(complete, RunnerReport(results="done"))

    world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)

    assert world.reported_events.stopped == [interrupted.call_id]


def test_session_is_unlocked(world: World, turn: Turn) -> None:
    add_reply(world, turn, "Hi.")
    world.use_cases.finish_turn(turn_step(turn, 1))
    session = world.sessions.get(ALICE.name, turn.session_id)
    assert session is not None
    assert session.running_turn is None


MODEL_ERRORS = ModelError.__subclasses__()


def error_of(kind: type[ModelError]) -> TurnError:
    return TurnError(error_code=kind.code, message=kind.user_message)


@pytest.mark.parametrize(
    ("ending", "failure", "status", "error"),
    [
        (Ending.NORMAL, Failure(Error="KeyError", Cause="x"), TurnStatus.FAILED, FAILED),
        *((Ending.NORMAL, Failure(Error=kind.__name__), TurnStatus.FAILED, error_of(kind)) for kind in MODEL_ERRORS),
        (Ending.LOST, None, TurnStatus.FAILED, FAILED),
        (Ending.LOST, Failure(Error="KeyError"), TurnStatus.FAILED, FAILED),
        (Ending.TIMED_OUT, None, TurnStatus.FAILED, TIMED_OUT),
        (Ending.TIMED_OUT, Failure(Error="States.Timeout"), TurnStatus.FAILED, TIMED_OUT),
        (Ending.CANCELLED, None, TurnStatus.CANCELLED, CANCELLED),
        (Ending.CANCELLED, Failure(Error="KeyError"), TurnStatus.CANCELLED, CANCELLED),
    ],
)
def test_each_ending_has_its_own_error(
    world: World, turn: Turn, ending: Ending, failure: Failure | None, status: TurnStatus, error: TurnError
) -> None:
    assert world.use_cases.finish_turn(turn_step(turn, failure=failure), ending) is status
    ended = {"status": status, "error": error, "ended_at": world.clock.now()}
    assert stored(world, turn) == turn.model_copy(update=ended)
    assert last_event(world, turn) == ("turn_failed", {"status": status, "error": error.model_dump()})


def test_turn_without_a_final_answer_fails(world: World, turn: Turn) -> None:
    for number in range(MAX_ROUNDS):
        world.model.replies.append(ModelReply(text="Again.", calls=CALLS))
        step = world.use_cases.think(turn_step(turn, number))
        assert not step.done
    world.model.replies = [ModelReply(text="Again.", calls=CALLS)]
    step = world.use_cases.think(turn_step(turn, MAX_ROUNDS))
    assert (step.done, world.use_cases.finish_turn(step)) == (True, TurnStatus.FAILED)
    assert (stored(world, turn).error, stored(world, turn).answer) == (TOO_MANY, "")


def test_failure_after_the_answer_fails_the_turn_and_keeps_the_answer(world: World, turn: Turn) -> None:
    add_reply(world, turn, "Here.")
    world.use_cases.finish_turn(turn_step(turn, 1, Failure(Error="States.TaskFailed")))
    assert (stored(world, turn).error, stored(world, turn).answer) == (FAILED, "Here.")


def test_cause_of_a_failure_is_only_logged(world: World, turn: Turn, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    world.use_cases.finish_turn(turn_step(turn, failure=Failure(Error="KeyError", Cause="secret trace")))
    assert "secret" not in world.events.stored_json(turn.turn_id) + stored(world, turn).model_dump_json()
    assert [record.message for record in caplog.records] == ["turn failed"]
    [line] = [vars(record) for record in caplog.records]
    assert (line["turn_id"], line["cause"]) == (turn.turn_id, {"Error": "KeyError", "Cause": "secret trace"})


@pytest.mark.parametrize("second", list(Ending))
@pytest.mark.parametrize("first", list(Ending))
def test_first_end_counts_and_is_published_once(world: World, turn: Turn, first: Ending, second: Ending) -> None:
    add_reply(world, turn, "Hi.")
    status = world.use_cases.finish_turn(turn_step(turn, 1), first)
    stored_before = stored(world, turn), last_event(world, turn)
    world.clock.advance(60)
    assert world.use_cases.finish_turn(turn_step(turn, 1, Failure(Error="KeyError")), second) is status
    assert (stored(world, turn), last_event(world, turn)) == stored_before


def test_one_of_two_concurrent_ends_is_published(world: World, turn: Turn) -> None:
    """The other attempt writes its end between the read and the write of this one."""
    end = world.turns.end

    def second(turn_to_end: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        end(turn_to_end.model_copy(update={"status": TurnStatus.CANCELLED, "error": CANCELLED}), CANCELLED_EVENT, {})
        return end(turn_to_end, event, tool_use)

    add_reply(world, turn, "Hi.")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.turns, "end", second)
        assert world.use_cases.finish_turn(turn_step(turn, 1)) is TurnStatus.CANCELLED
    assert last_event(world, turn)[0] == "turn_failed"


@pytest.mark.parametrize("ending", Ending)
def test_missing_turn_is_no_error(world: World, turn: Turn, ending: Ending, caplog: pytest.LogCaptureFixture) -> None:
    """Erasing all data of a user deletes turns whose end may be reported afterwards."""
    deleted = turn_step(turn).model_copy(update={"session_id": world.session().session_id})
    caplog.set_level(logging.INFO)
    assert world.use_cases.finish_turn(deleted, ending) is None
    assert world.events.payloads(turn.turn_id, "response_complete", "turn_failed") == []
    [line] = [vars(record) for record in caplog.records if "turn_id" in vars(record)]
    assert (line["message"], line["turn_id"]) == ("the turn to end is deleted", turn.turn_id)


def test_end_is_tried_ten_times_while_others_write_the_turn(world: World, turn: Turn) -> None:
    ends: list[Turn] = []

    def lose(turn_to_end: Turn, *_: object) -> bool:
        ends.append(turn_to_end)
        return False

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.turns, "end", lose)
        with pytest.raises(Unavailable) as raised:
            world.use_cases.finish_turn(turn_step(turn, 1))
    assert raised.value.message == "Other writers are changing the turn; try again."
    assert len(ends) == 10


def test_turn_deleted_while_it_ends_gets_no_last_event(world: World, turn: Turn) -> None:
    end = world.turns.end

    def delete_first(turn_to_end: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        world.turns.delete(turn)
        return end(turn_to_end, event, tool_use)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.turns, "end", delete_first)
        assert world.use_cases.finish_turn(turn_step(turn, 1)) is None
    assert world.events.payloads(turn.turn_id, "response_complete", "turn_failed") == []


def test_last_reply_with_tool_calls_is_no_answer(world: World, turn: Turn) -> None:
    add_reply(world, turn, "Let me look that up.", MAX_ROUNDS, calls_tools=True)
    assert world.use_cases.finish_turn(turn_step(turn, MAX_ROUNDS + 1)) is TurnStatus.FAILED
    assert (stored(world, turn).error, stored(world, turn).answer) == (TOO_MANY, "")


# Metrics


def test_turn_is_counted_once_by_its_status(world: World) -> None:
    turn = world.turn(world.session())
    world.clock.advance(2.5)
    for _ in range(2):
        world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)
    assert world.metrics.values_of(TURNS) == [(1, "cancelled")]
    assert world.metrics.values_of(TURN_DURATION) == [(2500,)]


def test_turn_is_counted_by_the_process_that_ended_it(world: World, turn: Turn) -> None:
    """Another process ends the turn between the read and the write of this one, and counts it."""
    end = world.turns.end

    def lose(turn_to_end: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        assert end(
            turn_to_end.model_copy(update={"status": TurnStatus.CANCELLED, "error": CANCELLED}), CANCELLED_EVENT, {}
        )
        return end(turn_to_end, event, tool_use)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.turns, "end", lose)
        world.use_cases.finish_turn(turn_step(turn), Ending.TIMED_OUT)
    assert (world.metrics.values_of(TURNS), world.metrics.values_of(TURN_DURATION)) == ([], [])


def test_calls_that_were_sent_count_as_use_of_their_tools(world: World) -> None:
    turn = world.turn(world.session())
    for index, tool in enumerate(["report.echo", "report.echo", "report.unknown"]):
        call = world.call(turn, tool, "{}", index=index)
        world.use_cases.dispatch_tool(call_step(call, "task"))
        world.finish_call(call, RunnerReport(results="done"))
    add_reply(world, turn, "Hi.")
    world.use_cases.finish_turn(turn_step(turn))

    assert world.turns.tool_use[turn.user] == {"report.echo": 2}
    assert world.steps.read_round(turn_step(turn)).tool_use == {"report.echo": 2}
