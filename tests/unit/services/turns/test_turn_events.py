"""The events of a turn as clients see them. The first one is not stored."""

import pytest

from satchel.domain.events import Event, NewEvent, first_event
from satchel.domain.sessions import ImportedParts, Turn
from satchel.services.turns.turn_events import is_fully_read, list_events
from tests.fakes.system import FakeClock
from tests.fakes.turns import FakeEvents
from tests.unit.services.world import World

PIECE = NewEvent(type="token_stream", payload={"text": "a", "round": 0, "attempt": 0})
END = NewEvent(type="turn_failed", payload={"status": "failed", "error": {"error_code": "E", "message": "m"}})


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


def seqs(world: World, turn: Turn, after: int = 0, limit: int = 10) -> list[int]:
    return [event.seq for event in list_events(world.events, turn, after, limit)]


def test_new_turn_has_its_first_event(world: World, turn: Turn) -> None:
    payload = {"session_id": turn.session_id}
    first = Event(seq=1, turn_id=turn.turn_id, type="turn_started", at=turn.created_at, payload=payload)
    assert list_events(world.events, turn, 0, 10) == [first]
    assert world.events.list_after(turn.turn_id, 0, 10) == []


def test_first_event_is_before_the_stored_ones_and_counts_for_the_limit(world: World, turn: Turn) -> None:
    for _ in range(3):
        world.events.append(turn.turn_id, PIECE)
    assert [seqs(world, turn, after) for after in range(5)] == [[1, 2, 3, 4], [2, 3, 4], [3, 4], [4], []]
    assert [seqs(world, turn, after, limit=2) for after in (0, 2)] == [[1, 2], [3, 4]]


def test_stored_first_event_of_an_older_version_is_not_repeated(turn: Turn) -> None:
    events = FakeEvents(FakeClock())
    events.append(turn.turn_id, NewEvent(type="turn_started", payload={"session_id": turn.session_id}))
    events.append(turn.turn_id, PIECE)
    assert [event.seq for event in list_events(events, turn, 0, 10)] == [1, 2]


def test_turn_whose_events_are_deleted_has_only_its_last_event(world: World, turn: Turn) -> None:
    for event in (PIECE, PIECE, END):
        world.events.append(turn.turn_id, event)
    world.events.delete(turn.turn_id)
    assert seqs(world, turn) == [4]


def test_imported_turn_has_only_its_stored_event(world: World, turn: Turn) -> None:
    imported = turn.model_copy(update={"turn_id": f"{turn.turn_id[:-1]}z", "imported": ImportedParts()})
    session = world.sessions.get(turn.user, turn.session_id)
    assert session is not None
    world.turns.add_imported(session, [imported])
    assert seqs(world, imported) == [1]
    assert [list_events(world.events, imported, 0, 1)[0].type] == ["response_complete"]


def test_turn_is_fully_read_at_its_last_event_only(world: World, turn: Turn) -> None:
    world.events.append(turn.turn_id, END)
    assert [is_fully_read(world.events, turn, after) for after in range(5)] == [False, False, True, True, True]


def test_first_event_has_the_time_of_the_turn(turn: Turn) -> None:
    assert first_event(turn).to_json()["at"] == turn.model_dump(mode="json")["created_at"]
