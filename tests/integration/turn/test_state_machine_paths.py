"""Every path through the state machine ends the turn once, with a clear error, and releases the session."""

import itertools
import json
import os
import queue
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from local.emulator.runners.context import Handler, InvocationError, LambdaContext
from satchel.adapters.lambda_functions import LambdaRunners
from satchel.adapters.stepfunctions import TurnExecutions
from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.runner import run_tool_use_case
from satchel.domain.calls import Decision, RunnerReport
from satchel.domain.errors import TurnRunning
from satchel.domain.events import FINAL_EVENTS
from satchel.domain.ids import new_id
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.steps import TOOL_ENDED, CallStep
from satchel.ports.runners import CallOrder
from satchel.services.calls import dispatch_tool
from satchel.services.calls.record_tool_result import RecordToolResult
from satchel.services.turns.finish_turn import EndStuckTurn
from tests.integration.turn.fakes import ANSWER, FakeRunningCall, Script
from tests.integration.turn.faults import failing
from tests.integration.turn.turn_driver import TurnDriver, UserSession, patient_dispatch, real_handler
from tests.priority import prioritized

FAILED = TurnError(
    error_code="E_TURN_FAILED",
    message="The turn failed because of an internal error. The results of finished tools are saved. Please try again.",
)
TIMED_OUT = TurnError(error_code="E_TURN_TIMEOUT", message="The turn exceeded the maximum duration and was stopped.")
SAY: Script = [[("say", {"size": 3})]]
WAIT: Script = [[("wait", {})]]
QUOTA = 256 << 10
CONTEXT = LambdaContext(function_name="by-hand", invoked_function_arn="", deadline=0)


@pytest.fixture
def session(turns: TurnDriver) -> Iterator[UserSession]:
    yield turns.new_session()
    turns.set_timeouts()


def assert_ended_once(turns: TurnDriver, turn: Turn, error: TurnError | None = None) -> None:
    """Assert that the turn ended once, that a second end has no effect, and that its session accepts another turn."""
    events = turns.events(turn)
    assert [event.type for event in events if event.type in FINAL_EVENTS] == [
        "turn_failed" if error else "response_complete"
    ]
    assert events[-1].type in FINAL_EVENTS
    ended = turns.load(turn)
    assert ended.error == error
    assert ended.status is (TurnStatus.COMPLETE if error is None else ended.status)

    failed_execution = {"detail": {"status": "ABORTED", "input": json.dumps(step(turn))}}
    for event in (step(turn), step(turn) | {"failure": {"Error": "Late"}}, failed_execution):
        real_handler("finish")(event, CONTEXT)
    assert (turns.load(turn), turns.events(turn)) == (ended, events)

    session = UserSession.of(turn)
    assert turns.run(session, []).status is TurnStatus.COMPLETE


def step(turn: Turn) -> dict[str, Any]:
    return {"user": turn.user, "session_id": turn.session_id, "turn_id": turn.turn_id, "round": 1}


def error_codes(turns: TurnDriver, turn: Turn) -> list[str | None]:
    return [call.error_code for call in turns.response(turn).tool_calls]


def timeout_errors(turns: TurnDriver, turn: Turn) -> list[str]:
    """Return the names of the timeouts in the history."""
    events = turns.history(turn)
    return [event["taskTimedOutEventDetails"]["error"] for event in events if event["type"] == "TaskTimedOut"]


def die(_event: object, _context: object) -> None:
    """Do nothing, as a runner that dies at once."""


# Calls without a result


def test_dead_runner_is_detected_by_its_heartbeat_and_the_turn_continues(
    turns: TurnDriver, session: UserSession
) -> None:
    turns.set_timeouts(heartbeat=1)
    with turns.replaced("run-bench", die):
        turn = turns.run(session, WAIT)
    assert timeout_errors(turns, turn) == ["States.HeartbeatTimeout"]
    assert (turns.load(turn).answer, error_codes(turns, turn)) == (ANSWER, ["E_TOOL_CRASHED"])
    assert_ended_once(turns, turn)


@pytest.fixture
def frequent_heartbeats(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let runners send a heartbeat every 0.2 seconds."""
    monkeypatch.setenv("SATCHEL_BEAT_SECONDS", "0.2")
    run_tool_use_case.cache_clear()
    yield
    run_tool_use_case.cache_clear()


@pytest.mark.usefixtures("frequent_heartbeats")
def test_call_over_the_timeout_is_ended_and_its_tool_is_killed(turns: TurnDriver, session: UserSession) -> None:
    turns.set_timeouts(heartbeat=10, call=11)
    turn = turns.run(session, WAIT)
    running = turns.bench.waiting.get(timeout=60)
    assert running.killed.wait(5)
    assert timeout_errors(turns, turn) == ["States.Timeout"]
    assert error_codes(turns, turn) == ["E_TOOL_CRASHED"]
    assert_ended_once(turns, turn)


def test_late_result_of_a_runner_is_ignored(turns: TurnDriver, session: UserSession) -> None:
    turns.set_timeouts(heartbeat=15)
    orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
    with turns.replaced("run-bench", lambda order, _context: orders.put(order)):
        turn = turns.run(session, SAY)
    ended, events = turns.load(turn), turns.events(turn)
    real_handler("run-bench")(orders.get(timeout=60), CONTEXT)
    assert (turns.load(turn), turns.events(turn), error_codes(turns, turn)) == (ended, events, ["E_TOOL_CRASHED"])


def test_call_order_delivered_twice_is_executed_once(turns: TurnDriver, session: UserSession) -> None:
    def twice(order: object, context: Any) -> object:  # noqa: ANN401  (a Lambda context)
        answer = real_handler("run-bench")(order, context)
        real_handler("run-bench")(order, context)
        return answer

    before = len(turns.bench.called_tools)
    with turns.replaced("run-bench", twice):
        turn = turns.run(session, SAY)
    assert len(turns.bench.called_tools) == before + 1
    assert error_codes(turns, turn) == [None]
    assert_ended_once(turns, turn)


# Functions that fail


def test_think_that_fails_twice_is_retried_without_an_effect_on_the_turn(
    turns: TurnDriver, session: UserSession
) -> None:
    with turns.replaced("think", failing(2, real_handler("think"))):
        turn = turns.run(session, SAY)
    assert (turns.load(turn).answer, error_codes(turns, turn)) == (ANSWER, [None])
    assert_ended_once(turns, turn)


@pytest.fixture
def slow_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Dispatch wait for no tool, so that the state RecordToolResult records the results."""
    monkeypatch.setattr(dispatch_tool, "MAX_WAIT", timedelta(0))


def with_record(handler: Handler) -> Handler:
    """Return a handler of the function of Dispatch with another one for the state RecordToolResult."""

    def handle(event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda handler)
        return (real_handler("dispatch") if "task_token" in event else handler)(event, context)

    return handle


@pytest.mark.usefixtures("slow_tools")
def test_record_that_fails_twice_is_retried_without_an_effect_on_the_turn(
    turns: TurnDriver, session: UserSession
) -> None:
    with turns.replaced("dispatch", with_record(failing(2, real_handler("dispatch")))):
        turn = turns.run(session, SAY)
    assert (turns.load(turn).answer, error_codes(turns, turn)) == (ANSWER, [None])
    assert_ended_once(turns, turn)


def test_result_that_dispatch_could_not_record_is_recorded_by_the_next_state(
    turns: TurnDriver, session: UserSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The function dies after the tool has ended. The report of the runner is there."""
    record, tries = RecordToolResult.__call__, itertools.count()

    def fail_first(self: RecordToolResult, step: CallStep, report: RunnerReport | None = None) -> None:
        if next(tries) == 0:
            raise KeyError("a bug")
        record(self, step, report)

    monkeypatch.setattr(RecordToolResult, "__call__", fail_first)
    turn = turns.run(session, SAY)
    assert (turns.load(turn).answer, error_codes(turns, turn)) == (ANSWER, [None])
    assert_ended_once(turns, turn)


def test_result_is_recorded_at_once_if_only_the_answer_of_the_runner_is_lost(
    turns: TurnDriver, session: UserSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No later state has to record it, to which the turn would come only after 35 seconds without a heartbeat."""
    run = LambdaRunners.run

    def lose_answer(self: LambdaRunners, server: str, order: CallOrder) -> None:
        run(self, server, order)
        raise TimeoutError

    monkeypatch.setattr(LambdaRunners, "run", lose_answer)
    with patient_dispatch(), turns.replaced("dispatch", with_record(failing(100, real_handler("dispatch")))):
        turn = turns.run(session, SAY)
    assert (turns.load(turn).answer, error_codes(turns, turn)) == (ANSWER, [None])
    assert_ended_once(turns, turn)


def test_think_that_fails_after_all_retries_fails_the_turn(turns: TurnDriver, session: UserSession) -> None:
    with turns.replaced("think", failing(4, real_handler("think"))):
        turn = turns.run(session, SAY)
    assert turns.wait_for_execution(turn) == "SUCCEEDED"
    assert_ended_once(turns, turn, FAILED)


def test_finish_that_fails_twice_is_retried(turns: TurnDriver, session: UserSession) -> None:
    think, finish = failing(4, real_handler("think")), failing(2, real_handler("finish"), after=1)
    with turns.replaced("think", think), turns.replaced("finish", finish):
        turn = turns.run(session, SAY)
    assert turns.wait_for_execution(turn) == "SUCCEEDED"
    assert_ended_once(turns, turn, FAILED)


@pytest.mark.usefixtures("slow_tools")
def test_call_whose_result_cannot_be_recorded_fails_the_turn(turns: TurnDriver, session: UserSession) -> None:
    """The other calls of the round are cancelled and their tools killed."""
    running: list[FakeRunningCall] = []

    def fail_one(event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda handler)
        if event["call_id"].endswith("-00"):
            if not running:  # a turn that ends before the other call has started does not start it
                running.append(turns.bench.waiting.get(timeout=60))
            raise KeyError("a bug")
        return real_handler("dispatch")(event, context)

    with turns.replaced("dispatch", with_record(fail_one)):
        turn = turns.run(session, [[("say", {"size": 3}), ("wait", {})]])
        assert running[0].killed.wait(5)
    assert turns.wait_for_execution(turn) == "SUCCEEDED"
    assert_ended_once(turns, turn, FAILED)


def test_failed_dispatch_is_a_tool_error_for_the_model(turns: TurnDriver, session: UserSession) -> None:
    with turns.replaced("dispatch", failing(1, real_handler("dispatch"))):
        turn = turns.run(session, SAY)
    assert (turns.load(turn).answer, error_codes(turns, turn)) == (ANSWER, ["E_TOOL_FAILED"])
    assert_ended_once(turns, turn)


def test_throttled_dispatch_is_retried(turns: TurnDriver, session: UserSession) -> None:
    def throttled() -> Exception:
        return InvocationError("Lambda.TooManyRequestsException", "Rate Exceeded.")

    with turns.replaced("dispatch", failing(3, real_handler("dispatch"), throttled)):
        turn = turns.run(session, SAY)
    assert error_codes(turns, turn) == [None]
    assert_ended_once(turns, turn)


ASK: Script = [[("ask", {"name": "a", "text": "b"})]]


def test_expired_approval_denies_the_call(turns: TurnDriver, session: UserSession) -> None:
    turns.set_timeouts(approval=10)
    turn = turns.run(session, ASK)
    assert timeout_errors(turns, turn) == ["States.HeartbeatTimeout"]
    assert (turns.load(turn).answer, error_codes(turns, turn)) == (ANSWER, ["E_FORBIDDEN"])
    types = [event.type for event in turns.events(turn)]
    assert types.index("tool_approval_request") < types.index("tool_start") < types.index("tool_complete")
    assert_ended_once(turns, turn)


def test_approval_waits_longer_than_a_call_without_heartbeats(turns: TurnDriver, session: UserSession) -> None:
    turns.set_timeouts(heartbeat=15, call=20, approval=100)
    with turns.replaced("run-bench", die):
        turn = turns.start(session, [[*ASK[0], *SAY[0]]])
        turns.wait_until(lambda: "E_TOOL_CRASHED" in error_codes(turns, turn))  # the other call has timed out
    call, _ = use_cases().ports.calls.list(turn.turn_id)
    decision = Decision(approved=True, digest=call.digest)
    use_cases().decide_approval(session.user, turn.session_id, turn.turn_id, call.call_id, decision)
    turns.wait_for_end(turn)
    assert (turns.load(turn).answer, error_codes(turns, turn)) == (ANSWER, [None, "E_TOOL_CRASHED"])
    assert_ended_once(turns, turn)


# Executions that end without Finish


def test_end_that_finish_cannot_store_is_stored_after_the_execution_failed(
    turns: TurnDriver, session: UserSession
) -> None:
    think, finish = failing(4, real_handler("think")), failing(3, real_handler("finish"), after=1)
    with turns.replaced("think", think), turns.replaced("finish", finish):
        turn = turns.run(session, SAY)
        assert turns.wait_for_execution(turn) == "FAILED"
    assert_ended_once(turns, turn, FAILED)


def test_stopped_execution_ends_the_turn_and_kills_running_tools(turns: TurnDriver, session: UserSession) -> None:
    turn = turns.start(session, WAIT)
    running = turns.bench.waiting.get(timeout=60)
    with prioritized():
        turns.states.stop_execution(executionArn=turns.execution_arn(turn))
        assert running.killed.wait(2)
    turns.wait_for_end(turn)
    assert turns.wait_for_execution(turn) == "ABORTED"
    assert_ended_once(turns, turn, FAILED)


def test_turn_over_its_timeout_fails_with_the_reason_and_kills_running_tools(
    turns: TurnDriver, session: UserSession
) -> None:
    turns.set_timeouts(turn=15)
    turn = turns.start(session, WAIT)
    running = turns.bench.waiting.get(timeout=60)
    with prioritized():
        turns.wait_for_end(turn)
        assert running.killed.wait(2)
    assert turns.wait_for_execution(turn) == "TIMED_OUT"
    assert_ended_once(turns, turn, TIMED_OUT)


def test_state_data_over_the_limit_fails_the_turn_with_an_error(turns: TurnDriver, session: UserSession) -> None:
    """``States.ALL`` does not catch ``States.DataLimitExceeded``, so the execution fails without the state Finish."""

    def return_too_much(event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda handler)
        result: Any = real_handler("think")(event, context)
        if event.get("has_execution") is False:
            return result  # of an asynchronous invocation
        return {**result, "call_id": "x" * QUOTA, "turn_id": "x" * QUOTA}

    with turns.replaced("think", return_too_much):
        turn = turns.run(session, SAY * 2)
    assert turns.wait_for_execution(turn) == "FAILED"
    failed = [event["taskFailedEventDetails"] for event in turns.history(turn) if event["type"] == "TaskFailed"]
    assert [each["error"] for each in failed] == ["States.DataLimitExceeded"]
    assert_ended_once(turns, turn, FAILED)


@pytest.mark.parametrize(("error", "code"), [(TOOL_ENDED, "E_TOOL_CRASHED"), ("Mine", "E_TOOL_FAILED")])
def test_failures_that_a_runner_reports_never_fill_the_state_data(
    turns: TurnDriver, session: UserSession, error: str, code: str
) -> None:
    """Code of a tool may get the runner's credentials, and end the task itself with up to 32 KB. Calls share 256 KB."""

    def send_large_failure(event: Any, _context: object) -> None:  # noqa: ANN401  (a payload)
        turns.states.send_task_failure(taskToken=event["task_token"], error=error, cause="x" * 32_768)

    with turns.replaced("run-bench", send_large_failure):
        turn = turns.run(session, [SAY[0] * 10])
    assert error_codes(turns, turn) == [code] * 10
    assert_ended_once(turns, turn)


# Turns that stay open


class FastClock:
    """Implements ``ports.system.Clock``: one minute ahead."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(minutes=1)

    def monotonic(self) -> float:
        return time.monotonic() + 60


@pytest.fixture
def end_stuck_turn(turns: TurnDriver) -> EndStuckTurn:
    """The use case that readers of an open turn call."""
    workflow = TurnExecutions(lambda: turns.states, turns.machine)
    return EndStuckTurn(use_cases().ports.turns, workflow, use_cases().finish_turn, FastClock())


def test_reader_ends_a_turn_whose_end_was_lost(
    turns: TurnDriver, session: UserSession, end_stuck_turn: EndStuckTurn
) -> None:
    with turns.replaced("finish", die):
        turn = turns.start(session, WAIT)
        turns.bench.waiting.get(timeout=60)
        now = turns.load(turn)
        assert end_stuck_turn(now) == turns.load(turn) == now  # the execution is still running
        turns.states.stop_execution(executionArn=turns.execution_arn(turn))
        assert turns.wait_for_execution(turn) == "ABORTED"
        assert not turns.load(turn).has_ended
        assert end_stuck_turn(turn).has_ended
    assert_ended_once(turns, turn, FAILED)


def test_reader_ends_a_turn_whose_execution_was_never_started(
    turns: TurnDriver, session: UserSession, end_stuck_turn: EndStuckTurn
) -> None:
    now = datetime.now(UTC)
    turn_id = new_id("t", now, os.urandom(10))
    turn = Turn(
        turn_id=turn_id,
        session_id=session.session_id,
        user=session.user.name,
        groups=["users"],
        message="[]",
        created_at=now,
    )
    use_cases().ports.turns.begin(turn, None)
    with pytest.raises(TurnRunning):
        turns.start(session, [])
    assert end_stuck_turn(turn).has_ended
    assert_ended_once(turns, turn, FAILED)
