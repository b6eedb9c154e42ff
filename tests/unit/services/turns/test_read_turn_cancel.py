"""Canceling turns."""

from collections.abc import Mapping

import pytest

from satchel.domain.calls import CallResult
from satchel.domain.errors import SessionNotFound, TurnNotFound
from satchel.domain.events import NewEvent
from satchel.domain.ids import TurnId
from satchel.domain.sessions import Turn, TurnStatus
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

STOPPED = "cancelled by the user"


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


def test_cancelled_turn_has_ended_and_its_execution_is_stopped(world: World, turn: Turn) -> None:
    assert world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id) is TurnStatus.CANCELLED
    assert world.workflow.stopped == [(turn.turn_id, STOPPED)]
    assert not world.workflow.is_running(turn.turn_id)
    response = world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id)
    assert response.status == "cancelled"
    assert response.error is not None
    assert response.error.error_code == "E_CANCELLED"
    assert [kind for kind, _ in world.events.payloads(turn.turn_id)] == ["turn_started", "turn_failed"]


def test_end_is_written_before_the_execution_is_stopped(world: World, turn: Turn) -> None:
    """The stop triggers a rule that finishes turns as lost. It must find this turn already ended."""
    statuses: list[TurnStatus] = []
    stop = world.workflow.stop

    def record_and_stop(turn_id: TurnId, cause: str) -> None:
        stored = world.turns.get(turn.session_id, turn_id)
        assert stored is not None
        statuses.append(stored.status)
        stop(turn_id, cause)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.workflow, "stop", record_and_stop)
        world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    assert statuses == [TurnStatus.CANCELLED]


def test_running_calls_are_stopped_and_finished_calls_are_not(world: World, turn: Turn) -> None:
    finished, running = (world.call(turn, index=index) for index in range(2))
    world.calls.save_result(turn.turn_id, finished.call_id, CallResult(is_error=False))
    world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    assert world.reported_events.stopped == [running.call_id]


def test_completed_turn_cannot_be_cancelled(world: World, turn: Turn) -> None:
    world.complete(turn)
    assert world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id) is TurnStatus.COMPLETE
    assert world.workflow.stopped == []


def test_turn_deleted_while_it_is_cancelled_is_not_found(world: World, turn: Turn) -> None:
    end = world.turns.end

    def delete_first(turn_to_end: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        world.turns.delete(turn)
        return end(turn_to_end, event, tool_use)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.turns, "end", delete_first)
        with pytest.raises(TurnNotFound):
            world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    assert world.workflow.stopped == []


def test_cancelling_again_stops_an_execution_that_is_still_running(world: World, turn: Turn) -> None:
    def refuse(*_: object) -> None:
        raise OSError("the service was away")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.workflow, "stop", refuse)
        with pytest.raises(OSError, match="away"):
            world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    assert world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id) is TurnStatus.CANCELLED
    assert not world.workflow.is_running(turn.turn_id)
    assert len(world.events.payloads(turn.turn_id, "turn_failed")) == 1


def test_cancelled_turn_unlocks_its_session(world: World, turn: Turn) -> None:
    world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    assert world.turn(world.use_cases.read_sessions(ALICE, turn.session_id), "Again").turn_id != turn.turn_id


def test_turn_of_another_user_cannot_be_cancelled(world: World, turn: Turn) -> None:
    with pytest.raises(SessionNotFound):
        world.use_cases.cancel_turn(BOB, turn.session_id, turn.turn_id)
    with pytest.raises(TurnNotFound):
        world.use_cases.cancel_turn(BOB, world.session(BOB).session_id, turn.turn_id)
    assert world.workflow.is_running(turn.turn_id)
