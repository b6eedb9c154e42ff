"""Subscribing to the events of a turn."""

from datetime import timedelta

import pytest

from satchel.domain.connections import Subscription
from satchel.domain.errors import NotAllowed, SessionNotFound, TurnNotFound
from satchel.domain.ids import ConnectionId, SessionId
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


def connect(world: World, who: Identity, connection_id: str) -> None:
    world.use_cases.open_connection(ConnectionId(connection_id), world.use_cases.issue_ticket(who).ticket, None)


def subscribers(world: World, turn: Turn) -> list[tuple[str, int]]:
    return [(each.connection_id, each.sent) for each in world.subscriptions.list_for_turn(turn.turn_id, 100)]


def test_subscription_is_stored_with_its_cursor(world: World, turn: Turn) -> None:
    connect(world, ALICE, "c1")
    world.use_cases.subscribe(ConnectionId("c1"), turn.session_id, turn.turn_id, 3)

    (stored,) = world.subscriptions.list_for_turn(turn.turn_id, 100)
    assert stored == Subscription(
        connection_id="c1",
        session_id=turn.session_id,
        turn_id=turn.turn_id,
        sent=3,
        mark=stored.mark,
        expires_at=world.clock.now() + timedelta(hours=2, minutes=10),
    )


def test_subscribing_again_replaces_the_cursor(world: World, turn: Turn) -> None:
    connect(world, ALICE, "c1")
    world.use_cases.subscribe(ConnectionId("c1"), turn.session_id, turn.turn_id, 3)
    (old,) = world.subscriptions.list_for_turn(turn.turn_id, 100)
    world.use_cases.subscribe(ConnectionId("c1"), turn.session_id, turn.turn_id, 1)

    assert subscribers(world, turn) == [("c1", 1)]
    assert world.subscriptions.list_for_turn(turn.turn_id, 100)[0].mark != old.mark


def test_turn_of_another_user_raises_the_same_error_as_a_missing_one(world: World, turn: Turn) -> None:
    connect(world, BOB, "c2")
    with pytest.raises(SessionNotFound) as foreign:
        world.use_cases.subscribe(ConnectionId("c2"), turn.session_id, turn.turn_id, 0)
    with pytest.raises(SessionNotFound) as absent:
        world.use_cases.subscribe(ConnectionId("c2"), SessionId("s01m7yz1hs4gcreevqf6n983x09"), turn.turn_id, 0)

    assert foreign.value.message == absent.value.message
    assert subscribers(world, turn) == []


def test_turn_of_another_user_is_not_found_in_ones_own_session(world: World, turn: Turn) -> None:
    connect(world, BOB, "c2")
    with pytest.raises(TurnNotFound):
        world.use_cases.subscribe(ConnectionId("c2"), world.session(BOB).session_id, turn.turn_id, 0)
    assert subscribers(world, turn) == []


def test_unknown_connection_cannot_subscribe(world: World, turn: Turn) -> None:
    with pytest.raises(NotAllowed) as raised:
        world.use_cases.subscribe(ConnectionId("c9"), turn.session_id, turn.turn_id, 0)
    assert raised.value.message == "This connection no longer exists. Open a new one."
    assert subscribers(world, turn) == []


def test_stuck_turn_is_ended_on_subscribing(world: World, turn: Turn) -> None:
    connect(world, ALICE, "c1")
    world.workflow.lose_execution(turn.turn_id)
    world.clock.advance(60)
    world.use_cases.subscribe(ConnectionId("c1"), turn.session_id, turn.turn_id, 0)

    assert [kind for kind, _ in world.events.payloads(turn.turn_id)] == ["turn_started", "turn_failed"]


def test_unsubscribing_affects_this_connection_only_and_is_repeatable(world: World, turn: Turn) -> None:
    for connection_id in ("c1", "c2"):
        connect(world, ALICE, connection_id)
        world.use_cases.subscribe(ConnectionId(connection_id), turn.session_id, turn.turn_id, 0)
    world.use_cases.unsubscribe(ConnectionId("c1"), turn.turn_id)
    world.use_cases.unsubscribe(ConnectionId("c1"), turn.turn_id)

    assert subscribers(world, turn) == [("c2", 0)]
