"""Servers that work on a call as a task: the state machine waits between the polls, and no runner is held."""

import pytest

from satchel.bootstrap.functions import use_cases
from satchel.domain.sessions import Turn, TurnStatus
from tests.integration.turn.fakes import Script
from tests.integration.turn.test_state_machine_paths import assert_ended_once, error_codes
from tests.integration.turn.turn_driver import TurnDriver, UserSession

WORK: Script = [[("work", {})]]


def test_result_of_a_task_arrives_after_three_polls(turns: TurnDriver) -> None:
    session = turns.new_session()
    polls_before = len(turns.bench.polls)
    turn = turns.run(session, WORK)

    (call,) = turns.response(turn).tool_calls
    assert call.results == "worked"
    assert len(turns.bench.polls) - polls_before == 3
    (task,) = use_cases().ports.call_tasks.list(turn.turn_id)
    assert (task.server, task.polls) == ("bench", 3)
    assert_ended_once(turns, turn)


def test_no_runner_works_between_the_polls(turns: TurnDriver) -> None:
    turns.bench.holds_tasks = True
    try:
        turn = turns.start(turns.new_session(), WORK)
        turns.wait_until(lambda: "Wait30s" in waiting_states(turns, turn))
        polls = len(turns.bench.polls)
        assert turns.bench.open_calls == 0
    finally:
        turns.bench.holds_tasks = False
    assert use_cases().cancel_turn(UserSession.of(turn).user, turn.session_id, turn.turn_id) is TurnStatus.CANCELLED
    turns.wait_until(lambda: turns.bench.cancelled_tasks[-1:] == turns.bench.polls[-1:])
    assert turns.wait_for_execution(turn) == "ABORTED"
    assert len(turns.bench.polls) == polls


def test_task_that_needs_too_many_polls_is_cancelled(turns: TurnDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.services.calls.dispatch_tool.MAX_POLLS_IN_TURN", 2)
    turn = turns.run(turns.new_session(), WORK)

    assert error_codes(turns, turn) == ["E_TIMEOUT"]
    turns.wait_until(lambda: turns.bench.cancelled_tasks[-1:] == turns.bench.polls[-1:])


def waiting_states(turns: TurnDriver, turn: Turn) -> list[str]:
    """Return the states in which the turn's execution has waited."""
    try:
        events = turns.states.get_execution_history(executionArn=turns.execution_arn(turn))["events"]
    except turns.states.exceptions.ExecutionDoesNotExist:  # the first round runs
        return []
    return [event["stateEnteredEventDetails"]["name"] for event in events if event["type"] == "WaitStateEntered"]
