"""Opening and closing WebSocket connections."""

from datetime import timedelta

import pytest

from satchel.domain.connections import Connection
from satchel.domain.errors import NotAllowed
from satchel.domain.ids import ConnectionId
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


def test_ticket_opens_a_connection_for_its_user(world: World) -> None:
    opened = world.use_cases.open_connection(ConnectionId("c1"), world.use_cases.issue_ticket(BOB).ticket, None)

    until = world.clock.now() + timedelta(hours=2, minutes=10)
    assert opened == Connection(connection_id="c1", user=BOB.name, groups=["admins", "users"], expires_at=until)
    assert world.connections.stored == {"c1": opened}


def test_ticket_works_once(world: World) -> None:
    ticket = world.use_cases.issue_ticket(ALICE).ticket
    world.use_cases.open_connection(ConnectionId("c1"), ticket, None)

    with pytest.raises(NotAllowed):
        world.use_cases.open_connection(ConnectionId("c2"), ticket, None)
    assert list(world.connections.stored) == ["c1"]


def test_ticket_expires_after_one_minute(world: World) -> None:
    early, late = world.use_cases.issue_ticket(ALICE).ticket, world.use_cases.issue_ticket(ALICE).ticket
    world.clock.advance(60 - 1e-6)
    world.use_cases.open_connection(ConnectionId("c1"), early, None)
    world.clock.advance(1e-6)

    with pytest.raises(NotAllowed):
        world.use_cases.open_connection(ConnectionId("c2"), late, None)


@pytest.mark.parametrize("ticket", [None, "", "kq3mXo0ZC9m2Yb1m3sD0k6x8QvW7uTzR5nPjL4hFgEc", "\x00", "ä" * 5000])
def test_connection_without_a_valid_ticket_is_refused(world: World, ticket: str | None) -> None:
    with pytest.raises(NotAllowed) as raised:
        world.use_cases.open_connection(ConnectionId("c1"), ticket, None)
    assert raised.value.message == "Open the connection with a new ticket from POST /api/ws-ticket."
    assert world.connections.stored == {}


def test_used_forged_and_missing_tickets_are_refused_with_the_same_message(world: World) -> None:
    used = world.use_cases.issue_ticket(ALICE).ticket
    world.use_cases.open_connection(ConnectionId("c1"), used, None)
    errors = set()
    for ticket in (used, "forged", None):
        with pytest.raises(NotAllowed) as refused:
            world.use_cases.open_connection(ConnectionId("c2"), ticket, None)
        errors.add((refused.value.message, str(refused.value.details)))
    assert len(errors) == 1


def test_page_of_an_allowed_origin_can_connect(world: World) -> None:
    assert world.use_cases.open_connection(
        ConnectionId("c1"), world.use_cases.issue_ticket(ALICE).ticket, "https://chat.example"
    )


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://chat.example", "https://chat.example.evil.example", "null", ""]
)
def test_page_of_another_origin_is_refused_and_its_ticket_remains_valid(world: World, origin: str) -> None:
    ticket = world.use_cases.issue_ticket(ALICE).ticket
    with pytest.raises(NotAllowed) as raised:
        world.use_cases.open_connection(ConnectionId("c1"), ticket, origin)
    assert raised.value.message == "Pages of this origin cannot connect."
    assert world.use_cases.open_connection(ConnectionId("c2"), ticket, None).user == ALICE.name


def test_closed_connection_can_be_deleted_repeatedly(world: World) -> None:
    world.use_cases.open_connection(ConnectionId("c1"), world.use_cases.issue_ticket(ALICE).ticket, None)
    world.use_cases.forget_connection(ConnectionId("c1"))
    world.use_cases.forget_connection(ConnectionId("c1"))
    assert world.connections.stored == {}
