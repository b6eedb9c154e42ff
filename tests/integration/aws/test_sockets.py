import json
from datetime import timedelta

import pytest

from satchel.adapters.dynamodb.connections import DynamoConnections, DynamoSubscriptions, DynamoTickets
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.table import Table
from satchel.domain.connections import Connection, Subscription, Ticket
from satchel.domain.events import NewEvent
from satchel.domain.ids import ConnectionId, TurnId
from tests.integration.aws.makers import START, TravelClock, at_once, fresh, someone

UNTIL = START + timedelta(seconds=60.5)
ROUNDED_UP = int(START.timestamp()) + 61


def ticket() -> Ticket:
    return Ticket(user=someone(), groups=["users"], expires_at=UNTIL)


def subscription(turn_id: str, connection_id: str = "L0SM9cOFvHcCIhw=", **given: object) -> Subscription:
    wanted = {"session_id": fresh("s"), "turn_id": turn_id, "connection_id": connection_id, "sent": 0, "mark": "m1"}
    return Subscription.model_validate({**wanted, "expires_at": UNTIL, **given})


def kept(table: Table, pk: str, sk: str) -> dict[str, object]:
    item = table.get(pk, sk)
    assert item is not None
    return dict(item)


class TestTickets:
    @pytest.fixture
    def tickets(self, table: Table) -> DynamoTickets:
        return DynamoTickets(table)

    def test_one_is_taken_once(self, tickets: DynamoTickets) -> None:
        digest, written = fresh("x"), ticket()
        tickets.keep(digest, written)
        assert [tickets.take(digest), tickets.take(digest)] == [written, None]

    def test_of_many_who_come_with_it_one_gets_it(self, tickets: DynamoTickets) -> None:
        digest, written = fresh("x"), ticket()
        tickets.keep(digest, written)
        came = at_once([lambda: tickets.take(digest)] * 8)
        assert came.count(written) == 1
        assert came.count(None) == 7

    def test_one_that_was_never_written_is_not_there(self, tickets: DynamoTickets) -> None:
        assert tickets.take(fresh("x")) is None

    def test_the_table_clears_it_away_after_its_end(self, table: Table, tickets: DynamoTickets) -> None:
        digest = fresh("x")
        tickets.keep(digest, ticket())
        assert kept(table, f"TICKET#{digest}", "TICKET")["ttl"] == ROUNDED_UP


class TestConnections:
    def test_one_is_there_until_it_is_removed(self, table: Table) -> None:
        connections = DynamoConnections(table)
        written = Connection(connection_id="L0SM9cOFvHcCIhw=", user=someone(), groups=["users"], expires_at=UNTIL)
        connections.add(written)
        assert connections.get(ConnectionId("L0SM9cOFvHcCIhw=")) == written
        assert kept(table, "CONN#L0SM9cOFvHcCIhw=", "CONN")["ttl"] == ROUNDED_UP
        for _ in range(2):
            connections.remove(ConnectionId("L0SM9cOFvHcCIhw="))
        assert connections.get(ConnectionId("L0SM9cOFvHcCIhw=")) is None


class TestSubscriptions:
    @pytest.fixture
    def turn_id(self) -> str:
        return fresh("t")

    @pytest.fixture
    def subscriptions(self, table: Table) -> DynamoSubscriptions:
        return DynamoSubscriptions(table)

    def test_a_turns_own_are_found(self, table: Table, subscriptions: DynamoSubscriptions, turn_id: str) -> None:
        mine, other = subscription(turn_id, "a="), subscription(turn_id, "b=", sent=7)
        for written in (mine, other, subscription(fresh("t"), "a=")):
            subscriptions.add(written)
        assert subscriptions.of_turn(TurnId(turn_id), 10) == [mine, other]
        assert subscriptions.of_turn(TurnId(turn_id), 1) == [mine]
        assert kept(table, f"TURN#{turn_id}", "SUB#a=")["ttl"] == ROUNDED_UP

    def test_events_of_the_same_turn_are_none(
        self, table: Table, subscriptions: DynamoSubscriptions, turn_id: str
    ) -> None:
        DynamoEvents(table, TravelClock()).append(TurnId(turn_id), NewEvent(type="turn_started", once="start"))
        assert subscriptions.of_turn(TurnId(turn_id), 10) == []

    def test_a_cursor_moves_and_ends_the_count_of_failures(
        self, subscriptions: DynamoSubscriptions, turn_id: str
    ) -> None:
        written = subscription(turn_id)
        subscriptions.add(written)
        subscriptions.failed(written, 2)
        assert subscriptions.of_turn(TurnId(turn_id), 10) == [written.model_copy(update={"failures": 2})]
        assert subscriptions.advance(written, 5)
        assert subscriptions.of_turn(TurnId(turn_id), 10) == [written.model_copy(update={"sent": 5})]

    def test_what_was_begun_for_the_last_one_does_not_change_one_made_anew(
        self, subscriptions: DynamoSubscriptions, turn_id: str
    ) -> None:
        old, new = subscription(turn_id, mark="m1"), subscription(turn_id, mark="m2", sent=3)
        subscriptions.add(old)
        subscriptions.add(new)
        assert not subscriptions.advance(old, 9)
        subscriptions.failed(old, 2)
        subscriptions.drop(old)
        assert subscriptions.of_turn(TurnId(turn_id), 10) == [new]

    def test_one_that_is_gone_stays_gone(self, subscriptions: DynamoSubscriptions, turn_id: str) -> None:
        written = subscription(turn_id)
        subscriptions.add(written)
        subscriptions.remove(TurnId(turn_id), written.connection_id)
        assert not subscriptions.advance(written, 9)
        subscriptions.failed(written, 2)
        subscriptions.drop(written)
        subscriptions.remove(TurnId(turn_id), written.connection_id)
        assert subscriptions.of_turn(TurnId(turn_id), 10) == []

    def test_the_same_one_is_dropped(self, subscriptions: DynamoSubscriptions, turn_id: str) -> None:
        written = subscription(turn_id)
        subscriptions.add(written)
        assert subscriptions.advance(written, 4)
        subscriptions.drop(written)
        assert subscriptions.of_turn(TurnId(turn_id), 10) == []

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
    def test_what_cannot_be_read_as_one_is_passed_over(
        self, table: Table, subscriptions: DynamoSubscriptions, turn_id: str, item: dict[str, str | int | bool]
    ) -> None:
        """A runner may write beside its turn's events."""
        table.put({"pk": f"TURN#{turn_id}", "sk": "SUB#forged", **item})
        real = subscription(turn_id, "real=")
        subscriptions.add(real)
        assert subscriptions.of_turn(TurnId(turn_id), 10) == [real]

    def test_whose_one_is_stands_in_its_key_and_not_in_its_words(
        self, table: Table, subscriptions: DynamoSubscriptions, turn_id: str
    ) -> None:
        said = subscription(fresh("t"), "other=").model_dump_json()
        table.put({"pk": f"TURN#{turn_id}", "sk": "SUB#c=", "doc": said})
        (found,) = subscriptions.of_turn(TurnId(turn_id), 10)
        assert (found.turn_id, found.connection_id) == (turn_id, "c=")
