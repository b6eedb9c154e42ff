"""Every way through the machine ends the turn once, in words that a person understands, and frees the session."""

import json
import os
import queue
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from local.emulator.runners.context import Handler, InvocationError, LambdaContext
from satchel.adapters.stepfunctions import TurnExecutions
from satchel.bootstrap.functions import use_cases
from satchel.domain.errors import TurnRunning
from satchel.domain.events import ENDS
from satchel.domain.ids import new_id
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Turn, TurnStatus
from satchel.services.turns.finish_turn import EndStuckTurn
from tests.integration.turn.faults import failing
from tests.integration.turn.model import ANSWER, Plan
from tests.integration.turn.turns import Asker, Turns, handler_of

FAILED = TurnError(
    error_code="E_TURN_FAILED",
    message="Something went wrong while the answer was made. What the tools had finished is kept; please try again.",
)
TIMED_OUT = TurnError(error_code="E_TURN_TIMEOUT", message="The turn took longer than a turn may take and was ended.")
SAY: Plan = [[("say", {"size": 3})]]
WAIT: Plan = [[("wait", {})]]
QUOTA = 256 << 10
CONTEXT = LambdaContext(function_name="by-hand", invoked_function_arn="", deadline=0)


@pytest.fixture
def asker(turns: Turns) -> Iterator[Asker]:
    yield turns.asker()
    turns.set_times()


def assert_ended_once(turns: Turns, turn: Turn, error: TurnError | None = None) -> None:
    """It ended once, a second end changes nothing, and its session takes the next turn."""
    events = turns.events(turn)
    assert [event.type for event in events if event.type in ENDS] == ["turn_failed" if error else "response_complete"]
    assert events[-1].type in ENDS
    ended = turns.now(turn)
    assert ended.error == error
    assert ended.status is (TurnStatus.COMPLETE if error is None else ended.status)

    again = {"detail": {"status": "ABORTED", "input": json.dumps(step(turn))}}
    for event in (step(turn), step(turn) | {"failure": {"Error": "Late"}}, again):
        handler_of("finish")(event, CONTEXT)
    assert (turns.now(turn), turns.events(turn)) == (ended, events)

    asker = Asker.of(turn)
    assert turns.run(asker, []).status is TurnStatus.COMPLETE


def step(turn: Turn) -> dict[str, Any]:
    return {"user": turn.user, "session_id": turn.session_id, "turn_id": turn.turn_id, "round": 1}


def codes(turns: Turns, turn: Turn) -> list[str | None]:
    return [call.error_code for call in turns.response(turn).tool_calls]


def timed_out(turns: Turns, turn: Turn) -> list[str]:
    """Return the names of the time-outs that there were."""
    events = turns.history(turn)
    return [event["taskTimedOutEventDetails"]["error"] for event in events if event["type"] == "TaskTimedOut"]


def silent(_event: object, _context: object) -> None:
    """A runner that dies as soon as it is called."""


# A call that nobody answers


def test_a_runner_that_dies_is_missed_and_the_turn_goes_on(turns: Turns, asker: Asker) -> None:
    turns.set_times(heartbeat=1)
    with turns.instead("run-bench", silent):
        turn = turns.run(asker, WAIT)
    assert timed_out(turns, turn) == ["States.HeartbeatTimeout"]
    assert (turns.now(turn).answer, codes(turns, turn)) == (ANSWER, ["E_TOOL_CRASHED"])
    assert_ended_once(turns, turn)


def test_a_call_beyond_the_cap_of_the_machine_is_given_up_and_its_runner_learns_of_it(
    turns: Turns, asker: Asker
) -> None:
    turns.set_times(heartbeat=2, call=3)
    turn = turns.run(asker, WAIT)
    running = turns.bench.waiting.get(timeout=5)
    assert running.killed.wait(5)
    assert timed_out(turns, turn) == ["States.Timeout"]
    assert codes(turns, turn) == ["E_TOOL_CRASHED"]
    assert_ended_once(turns, turn)


def test_a_runner_that_comes_late_changes_nothing(turns: Turns, asker: Asker) -> None:
    turns.set_times(heartbeat=1)
    orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
    with turns.instead("run-bench", lambda order, _context: orders.put(order)):
        turn = turns.run(asker, SAY)
    ended, events = turns.now(turn), turns.events(turn)
    handler_of("run-bench")(orders.get_nowait(), CONTEXT)
    assert (turns.now(turn), turns.events(turn), codes(turns, turn)) == (ended, events, ["E_TOOL_CRASHED"])


def test_an_order_that_is_delivered_twice_is_executed_once(turns: Turns, asker: Asker) -> None:
    def twice(order: object, context: Any) -> None:  # noqa: ANN401  (a Lambda context)
        handler_of("run-bench")(order, context)
        handler_of("run-bench")(order, context)

    before = len(turns.bench.called)
    with turns.instead("run-bench", twice):
        turn = turns.run(asker, SAY)
    assert len(turns.bench.called) == before + 1
    assert codes(turns, turn) == [None]
    assert_ended_once(turns, turn)


# A function that fails


@pytest.mark.parametrize("function", ["think", "normalize", "finish"])
def test_a_step_that_fails_twice_is_tried_again_and_nobody_notices(turns: Turns, asker: Asker, function: str) -> None:
    with turns.instead(function, failing(2, handler_of(function))):
        turn = turns.run(asker, SAY)
    assert (turns.now(turn).answer, codes(turns, turn)) == (ANSWER, [None])
    assert_ended_once(turns, turn)


def test_a_model_that_fails_past_its_retries_ends_the_turn(turns: Turns, asker: Asker) -> None:
    with turns.instead("think", failing(3, handler_of("think"))):
        turn = turns.run(asker, SAY)
    assert turns.status(turn) == "SUCCEEDED"
    assert_ended_once(turns, turn, FAILED)


def test_a_call_that_cannot_be_settled_fails_the_round_and_ends_the_turn(turns: Turns, asker: Asker) -> None:
    """The other calls of the round are given up with it: what runs is killed."""

    def fail_one(event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda handler)
        if event["call_id"].endswith("-00"):
            raise KeyError("a bug")
        return handler_of("normalize")(event, context)

    with turns.instead("normalize", fail_one):
        turn = turns.run(asker, [[("say", {"size": 3}), ("wait", {})]])
        assert turns.bench.waiting.get(timeout=5).killed.wait(5)
    assert turns.status(turn) == "SUCCEEDED"
    assert_ended_once(turns, turn, FAILED)


def test_a_call_that_cannot_be_sent_is_an_answer_to_the_model(turns: Turns, asker: Asker) -> None:
    with turns.instead("dispatch", failing(1, handler_of("dispatch"))):
        turn = turns.run(asker, SAY)
    assert (turns.now(turn).answer, codes(turns, turn)) == (ANSWER, ["E_TOOL_FAILED"])
    assert_ended_once(turns, turn)


def test_a_call_that_surely_was_not_sent_is_sent_again(turns: Turns, asker: Asker) -> None:
    def throttled() -> Exception:
        return InvocationError("Lambda.TooManyRequestsException", "Rate Exceeded.")

    with turns.instead("dispatch", failing(3, handler_of("dispatch"), throttled)):
        turn = turns.run(asker, SAY)
    assert codes(turns, turn) == [None]
    assert_ended_once(turns, turn)


@pytest.mark.parametrize("asks", [failing(1, silent), silent], ids=["fails", "is not answered"])
def test_a_question_that_fails_or_is_not_answered_refuses_the_call(turns: Turns, asker: Asker, asks: Handler) -> None:
    turns.set_times(approval=1)
    with turns.instead("approval", asks):
        turn = turns.run(asker, [[("ask", {"name": "a", "text": "b"})]])
    assert (turns.now(turn).answer, codes(turns, turn)) == (ANSWER, ["E_FORBIDDEN"])
    assert_ended_once(turns, turn)


# Executions that end past Finish


def test_an_end_that_cannot_be_written_is_written_when_the_execution_has_failed(turns: Turns, asker: Asker) -> None:
    with turns.instead("finish", failing(3, handler_of("finish"))):
        turn = turns.run(asker, SAY)
        assert turns.status(turn) == "FAILED"
    assert_ended_once(turns, turn, FAILED)


def test_a_stop_from_outside_ends_the_turn_and_kills_what_runs(turns: Turns, asker: Asker) -> None:
    turn = turns.begin(asker, WAIT)
    running = turns.bench.waiting.get(timeout=10)
    turns.states.stop_execution(executionArn=turns.execution(turn))
    assert running.killed.wait(2)
    turns.end(turn)
    assert turns.status(turn) == "ABORTED"
    assert_ended_once(turns, turn, FAILED)


def test_a_turn_beyond_its_time_says_so_and_what_runs_is_killed(turns: Turns, asker: Asker) -> None:
    turns.set_times(turn=2)
    turn = turns.begin(asker, WAIT)
    running = turns.bench.waiting.get(timeout=10)
    turns.end(turn)
    assert running.killed.wait(2)
    assert turns.status(turn) == "TIMED_OUT"
    assert_ended_once(turns, turn, TIMED_OUT)


@pytest.mark.parametrize("function", ["think", "normalize"])
def test_data_above_the_limit_of_a_state_end_the_turn_and_not_in_silence(
    turns: Turns, asker: Asker, function: str
) -> None:
    """``States.ALL`` does not catch ``States.DataLimitExceeded``: the execution fails where it is, past Finish."""

    def bloated(event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda handler)
        answer: Any = handler_of(function)(event, context)
        return {**answer, "call_id": "x" * QUOTA, "turn_id": "x" * QUOTA}

    with turns.instead(function, bloated):
        turn = turns.run(asker, SAY)
    assert turns.status(turn) == "FAILED"
    failed = [event["taskFailedEventDetails"] for event in turns.history(turn) if event["type"] == "TaskFailed"]
    assert [one["error"] for one in failed] == ["States.DataLimitExceeded"]
    assert_ended_once(turns, turn, FAILED)


def test_whatever_a_runner_says_does_not_become_data_of_a_state(turns: Turns, asker: Asker) -> None:
    """Foreign code can reach the runner's own means of speaking."""

    def shout(event: Any, _context: object) -> None:  # noqa: ANN401  (a payload)
        output = json.dumps("x" * (QUOTA - 100))
        turns.states.send_task_success(taskToken=event["task_token"], output=output)

    with turns.instead("run-bench", shout):
        turn = turns.run(asker, SAY)
    assert codes(turns, turn) == ["E_TOOL_CRASHED"]
    assert_ended_once(turns, turn)


# What slips through all of it


class LaterClock:
    """Implements ``ports.clock.Clock``: a minute ahead."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(minutes=1)

    def monotonic(self) -> float:
        return time.monotonic() + 60


@pytest.fixture
def settle(turns: Turns) -> EndStuckTurn:
    """What readers do with a turn that they find open."""
    workflow = TurnExecutions(turns.states, turns.machine)
    return EndStuckTurn(use_cases().ports.turns, workflow, use_cases().finish_turn, LaterClock())


def test_a_reader_settles_a_turn_of_whose_end_nobody_heard(turns: Turns, asker: Asker, settle: EndStuckTurn) -> None:
    with turns.instead("finish", silent):
        turn = turns.begin(asker, WAIT)
        turns.bench.waiting.get(timeout=10)
        now = turns.now(turn)
        assert settle(now) == turns.now(turn) == now  # it still runs
        turns.states.stop_execution(executionArn=turns.execution(turn))
        assert turns.status(turn) == "ABORTED"
        assert not turns.now(turn).ended
        assert settle(turn).ended
    assert_ended_once(turns, turn, FAILED)


def test_a_reader_settles_a_turn_whose_execution_was_never_started(
    turns: Turns, asker: Asker, settle: EndStuckTurn
) -> None:
    now = datetime.now(UTC)
    turn_id = new_id("t", now, os.urandom(10))
    turn = Turn(
        turn_id=turn_id,
        session_id=asker.session_id,
        user=asker.who.name,
        groups=["users"],
        message="[]",
        created_at=now,
    )
    use_cases().ports.turns.begin(turn, None)
    with pytest.raises(TurnRunning):
        turns.begin(asker, [])
    assert settle(turn).ended
    assert_ended_once(turns, turn, FAILED)
