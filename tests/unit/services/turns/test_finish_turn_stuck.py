"""Turns that are open although their execution does not run."""

import pytest

from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.steps import repeat_first_round
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.world import World, turn_step


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


@pytest.fixture
def lost(world: World, turn: Turn) -> Turn:
    """Return an open turn whose execution has stopped, and whose grace period is over."""
    world.workflow.lose_execution(turn.turn_id)
    world.clock.advance(15)
    return turn


def last_events(world: World, turn: Turn) -> list[str]:
    return [kind for kind, _ in world.events.payloads(turn.turn_id, "response_complete", "turn_failed")]


def test_turn_without_an_execution_is_ended_as_failed(world: World, lost: Turn) -> None:
    ended = world.use_cases.end_stuck_turn(lost)

    assert ended == world.turns.get(lost.session_id, lost.turn_id)
    assert (ended.status, ended.error and ended.error.error_code) == (TurnStatus.FAILED, "E_TURN_FAILED")
    assert last_events(world, lost) == ["turn_failed"]


def test_turn_is_not_ended_during_its_grace_period(world: World, turn: Turn) -> None:
    world.workflow.lose_execution(turn.turn_id)
    world.clock.advance(14.9)

    assert world.use_cases.end_stuck_turn(turn) == turn
    assert last_events(world, turn) == []


def test_turn_with_a_running_execution_is_not_ended(world: World, turn: Turn) -> None:
    world.clock.advance(3600)

    assert world.use_cases.end_stuck_turn(turn) == turn
    assert last_events(world, turn) == []


@pytest.mark.parametrize(("seconds", "has_ended"), [(374, False), (375, True)])
def test_first_round_that_was_seen_is_not_ended_for_its_maximum_time(
    world: World, turn: Turn, seconds: int, *, has_ended: bool
) -> None:
    world.workflow.lose_execution(turn.turn_id)
    world.turns.mark_seen(turn.session_id, turn.turn_id, world.clock.now())
    world.clock.advance(seconds)
    seen = world.turns.get(turn.session_id, turn.turn_id)
    assert seen is not None

    assert world.use_cases.end_stuck_turn(seen).has_ended is has_ended


def test_turn_whose_execution_has_ended_is_ended_although_its_first_round_was_seen(world: World, turn: Turn) -> None:
    world.workflow.continue_after(repeat_first_round(turn_step(turn)))
    world.turns.mark_seen(turn.session_id, turn.turn_id, world.clock.now())
    world.workflow.lose_execution(turn.turn_id)
    world.clock.advance(15)
    seen = world.turns.get(turn.session_id, turn.turn_id)
    assert seen is not None

    assert world.use_cases.end_stuck_turn(seen).has_ended


def test_ended_turn_is_returned_unchanged(world: World, lost: Turn) -> None:
    world.use_cases.finish_turn(turn_step(lost), Ending.CANCELLED)
    ended = world.turns.get(lost.session_id, lost.turn_id)
    assert ended is not None
    world.clock.advance(3600)

    assert world.use_cases.end_stuck_turn(ended) is ended
    assert last_events(world, lost) == ["turn_failed"]
