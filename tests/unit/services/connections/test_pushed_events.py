"""Pushing events from the function that writes them."""

import logging
import threading

import pytest

from satchel.domain.events import NewEvent
from satchel.domain.ids import ConnectionId, TurnId
from satchel.domain.sessions import Turn
from satchel.services.connections.pushed_events import PushedEvents
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World

C1 = ConnectionId("c1")
PIECE = NewEvent(type="token_stream", payload={"text": "…", "round": 0, "attempt": 0})
_SECONDS = 30


@pytest.fixture
def turn(world: World) -> Turn:
    """Return a turn of Alice with its first event, which a connection follows."""
    turn = world.turn(world.session())
    world.use_cases.open_connection(C1, world.use_cases.issue_ticket(ALICE).ticket, None)
    world.use_cases.subscribe(C1, turn.session_id, turn.turn_id, 0)
    return turn


def test_appended_events_are_sent_before_the_block_ends(world: World, turn: Turn) -> None:
    events = PushedEvents(world.events, world.use_cases.push_events)
    with events.following(turn.turn_id):
        events.append(turn.turn_id, PIECE)
        events.append(turn.turn_id, PIECE)
    assert world.connection_sender.sent_seqs(C1) == [1, 2, 3]
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(C1) == [1, 2, 3], "the stream has nothing left to send"


def test_append_does_not_wait_for_a_connection(world: World, turn: Turn) -> None:
    is_sending, may_end, pushed = threading.Event(), threading.Event(), list[int]()

    def push(turn_id: TurnId) -> bool:
        is_sending.set()
        assert may_end.wait(_SECONDS)
        pushed.append(len(world.events.list_after(turn_id, 0, 100)))
        return True

    events = PushedEvents(world.events, push)
    with events.following(turn.turn_id):
        events.append(turn.turn_id, PIECE)
        assert is_sending.wait(_SECONDS)
        events.append(turn.turn_id, PIECE)
        events.append(turn.turn_id, PIECE)
        may_end.set()
    assert pushed == [3, 3], "one more push sends all events that were written during the first"


def test_events_that_a_step_stored_are_sent_on_request(world: World, turn: Turn) -> None:
    events = PushedEvents(world.events, world.use_cases.push_events)
    with events.following(turn.turn_id) as push:
        world.events.append(turn.turn_id, PIECE)
        push()
    assert world.connection_sender.sent_seqs(C1) == [1, 2]


def test_event_that_is_not_written_causes_no_push(world: World, turn: Turn) -> None:
    pushed: list[TurnId] = []

    def push(turn_id: TurnId) -> bool:
        pushed.append(turn_id)
        return True

    events = PushedEvents(world.events, push)
    once = PIECE.model_copy(update={"dedupe_key": "once"})
    world.events.append(turn.turn_id, once)
    with events.following(turn.turn_id):
        assert events.append(turn.turn_id, once) is None
    assert pushed == []


def test_events_outside_of_the_block_are_left_to_the_stream(world: World, turn: Turn) -> None:
    events = PushedEvents(world.events, world.use_cases.push_events)
    with events.following(turn.turn_id):
        pass
    events.append(turn.turn_id, PIECE)
    assert world.connection_sender.sent_seqs(C1) == []


def test_failed_push_is_left_to_the_stream(world: World, turn: Turn, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_turn_id: TurnId) -> bool:
        raise TimeoutError

    events = PushedEvents(world.events, fail)
    with caplog.at_level(logging.WARNING), events.following(turn.turn_id):
        events.append(turn.turn_id, PIECE)
    assert [record.message for record in caplog.records] == ["only the stream pushes the events"]
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(C1) == [1, 2]


def test_think_pushes_nothing_without_the_setting(world: World, turn: Turn) -> None:
    events = world.use_cases.think_events
    with events.following(turn.turn_id):
        events.append(turn.turn_id, PIECE)
    assert world.connection_sender.sent_seqs(C1) == []
