import json
from datetime import timedelta

import pytest

from satchel.adapters.dynamodb.connections import DynamoConnections, DynamoSubscriptions, DynamoTickets
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.table import Table
from satchel.domain.connections import Connection, Subscription, Ticket
from satchel.domain.events import NewEvent
from satchel.domain.ids import ConnectionId, TurnId
from tests.fakes.system import FakeClock
from tests.integration.aws.factories import START, new_session_id, new_turn_id, new_user, random_id, run_concurrently

EXPIRES_AT = START + timedelta(seconds=60.5)
TTL = int(START.timestamp()) + 61


def make_ticket() -> Ticket:
    return Ticket(user=new_user(), groups=["users"], expires_at=EXPIRES_AT)


def make_subscription(turn_id: TurnId, connection_id: str = "L0SM9cOFvHcCIhw=", **fields: object) -> Subscription:
    defaults = {
        "session_id": new_session_id(),
        "turn_id": turn_id,
        "connection_id": connection_id,
        "sent": 0,
        "mark": "m1",
    }
    return Subscription.model_validate({**defaults, "expires_at": EXPIRES_AT, **fields})


def read_item(table: Table, pk: str, sk: str) -> dict[str, object]:
    item = table.get(pk, sk)
    assert item is not None
    return dict(item)


class TestTickets:
    @pytest.fixture
    def tickets(self, table: Table) -> DynamoTickets:
        return DynamoTickets(table)

    def test_ticket_is_popped_once(self, tickets: DynamoTickets) -> None:
        digest, stored = random_id("x"), make_ticket()
        tickets.add(digest, stored)
        assert [tickets.pop(digest), tickets.pop(digest)] == [stored, None]

    def test_one_of_many_concurrent_pops_gets_the_ticket(self, tickets: DynamoTickets) -> None:
        digest, stored = random_id("x"), make_ticket()
        tickets.add(digest, stored)
        results = run_concurrently([lambda: tickets.pop(digest)] * 8)
        assert results.count(stored) == 1
        assert results.count(None) == 7

    def test_unknown_ticket_is_none(self, tickets: DynamoTickets) -> None:
        assert tickets.pop(random_id("x")) is None

    def test_ticket_has_a_ttl(self, table: Table, tickets: DynamoTickets) -> None:
        digest = random_id("x")
        tickets.add(digest, make_ticket())
        assert read_item(table, f"TICKET#{digest}", "TICKET")["ttl"] == TTL


class TestConnections:
    def test_connection_is_stored_until_it_is_removed(self, table: Table) -> None:
        connections = DynamoConnections(table)
        stored = Connection(connection_id="L0SM9cOFvHcCIhw=", user=new_user(), groups=["users"], expires_at=EXPIRES_AT)
        connections.add(stored)
        assert connections.get(ConnectionId("L0SM9cOFvHcCIhw=")) == stored
        assert read_item(table, "CONN#L0SM9cOFvHcCIhw=", "CONN")["ttl"] == TTL
        for _ in range(2):
            connections.remove(ConnectionId("L0SM9cOFvHcCIhw="))
        assert connections.get(ConnectionId("L0SM9cOFvHcCIhw=")) is None


class TestSubscriptions:
    @pytest.fixture
    def turn_id(self) -> TurnId:
        return new_turn_id()

    @pytest.fixture
    def subscriptions(self, table: Table) -> DynamoSubscriptions:
        return DynamoSubscriptions(table)

    def test_subscriptions_of_a_turn_are_listed(
        self, table: Table, subscriptions: DynamoSubscriptions, turn_id: TurnId
    ) -> None:
        first, second = make_subscription(turn_id, "a="), make_subscription(turn_id, "b=", sent=7)
        for stored in (first, second, make_subscription(new_turn_id(), "a=")):
            subscriptions.add(stored)
        assert subscriptions.list_for_turn(turn_id, 10) == [first, second]
        assert subscriptions.list_for_turn(turn_id, 1) == [first]
        assert read_item(table, f"TURN#{turn_id}", "SUB#a=")["ttl"] == TTL

    def test_events_are_not_listed_as_subscriptions(
        self, table: Table, subscriptions: DynamoSubscriptions, turn_id: TurnId
    ) -> None:
        DynamoEvents(table, FakeClock(START)).append(turn_id, NewEvent(type="turn_started", dedupe_key="start"))
        assert subscriptions.list_for_turn(turn_id, 10) == []

    def test_advance_stores_the_cursor_and_resets_failures(
        self, subscriptions: DynamoSubscriptions, turn_id: TurnId
    ) -> None:
        stored = make_subscription(turn_id)
        subscriptions.add(stored)
        subscriptions.save_failures(stored, 2)
        assert subscriptions.list_for_turn(turn_id, 10) == [stored.model_copy(update={"failures": 2})]
        assert subscriptions.advance(stored, 5)
        assert subscriptions.list_for_turn(turn_id, 10) == [stored.model_copy(update={"sent": 5})]

    def test_cursor_does_not_move_back(self, subscriptions: DynamoSubscriptions, turn_id: TurnId) -> None:
        stored = make_subscription(turn_id)
        subscriptions.add(stored)
        assert subscriptions.advance(stored, 5)
        assert not subscriptions.advance(stored, 4), "another push has sent event 5"
        assert subscriptions.advance(stored, 5)
        assert subscriptions.list_for_turn(turn_id, 10) == [stored.model_copy(update={"sent": 5})]

    def test_update_of_a_replaced_subscription_does_nothing(
        self, subscriptions: DynamoSubscriptions, turn_id: TurnId
    ) -> None:
        old, new = make_subscription(turn_id, mark="m1"), make_subscription(turn_id, mark="m2", sent=3)
        subscriptions.add(old)
        subscriptions.add(new)
        assert not subscriptions.advance(old, 9)
        subscriptions.save_failures(old, 2)
        subscriptions.remove_if_unchanged(old)
        assert subscriptions.list_for_turn(turn_id, 10) == [new]

    def test_update_of_a_removed_subscription_does_nothing(
        self, subscriptions: DynamoSubscriptions, turn_id: TurnId
    ) -> None:
        stored = make_subscription(turn_id)
        subscriptions.add(stored)
        subscriptions.remove(turn_id, stored.connection_id)
        assert not subscriptions.advance(stored, 9)
        subscriptions.save_failures(stored, 2)
        subscriptions.remove_if_unchanged(stored)
        subscriptions.remove(turn_id, stored.connection_id)
        assert subscriptions.list_for_turn(turn_id, 10) == []

    def test_unchanged_subscription_is_removed(self, subscriptions: DynamoSubscriptions, turn_id: TurnId) -> None:
        stored = make_subscription(turn_id)
        subscriptions.add(stored)
        assert subscriptions.advance(stored, 4)
        subscriptions.remove_if_unchanged(stored)
        assert subscriptions.list_for_turn(turn_id, 10) == []

    @pytest.mark.parametrize(
        "item",
        [
            {},
            {"doc": "{"},
            {"doc": "[]"},
            {"doc": "7"},
            {"doc": "{}", "sent": 0, "mark": "m"},
            {"doc": json.dumps({"session_id": "s/../x", "expires_at": "2026-01-01T00:00:00Z"}), "sent": 0, "mark": "m"},
            {"doc": json.dumps({"expires_at": "2026-01-01T00:00:00Z"}), "sent": "x", "mark": "m"},
        ],
    )
    def test_malformed_item_is_skipped(
        self, table: Table, subscriptions: DynamoSubscriptions, turn_id: TurnId, item: dict[str, str | int | bool]
    ) -> None:
        """A runner may write items into the partition of its turn."""
        table.put({"pk": f"TURN#{turn_id}", "sk": "SUB#forged", **item})
        valid = make_subscription(turn_id, "valid=")
        subscriptions.add(valid)
        assert subscriptions.list_for_turn(turn_id, 10) == [valid]

    def test_turn_and_connection_are_read_from_the_key_not_the_document(
        self, table: Table, subscriptions: DynamoSubscriptions, turn_id: TurnId
    ) -> None:
        document = make_subscription(new_turn_id(), "other=").model_dump_json()
        table.put({"pk": f"TURN#{turn_id}", "sk": "SUB#c=", "doc": document})
        (subscription,) = subscriptions.list_for_turn(turn_id, 10)
        assert (subscription.turn_id, subscription.connection_id) == (turn_id, "c=")
