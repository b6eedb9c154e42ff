"""Pushing events to subscribers."""

import pytest

from satchel.domain.connections import Subscription
from satchel.domain.events import Event, NewEvent
from satchel.domain.ids import ConnectionId
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from satchel.entrypoints.stream import StreamBatchHandler
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.fixture
def turn(world: World) -> Turn:
    """Return a turn of Alice with its first event."""
    return world.turn(world.session())


def follow(world: World, turn: Turn, connection_id: str = "c1", after: int = 0, who: Identity = ALICE) -> None:
    world.use_cases.open_connection(ConnectionId(connection_id), world.use_cases.issue_ticket(who).ticket, None)
    world.use_cases.subscribe(ConnectionId(connection_id), turn.session_id, turn.turn_id, after)


def publish(world: World, turn: Turn, count: int = 1) -> None:
    for _ in range(count):
        world.events.append(
            turn.turn_id, NewEvent(type="token_stream", payload={"text": "…", "round": 0, "attempt": 0})
        )


def followers(world: World, turn: Turn) -> list[tuple[str, int, int]]:
    return [(s.connection_id, s.sent, s.failures) for s in world.subscriptions.list_for_turn(turn.turn_id, 100)]


def test_past_and_new_events_arrive_once_in_order(world: World, turn: Turn) -> None:
    publish(world, turn, 2)
    follow(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1, 2, 3]
    publish(world, turn, 2)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1, 2, 3, 4, 5]


def test_repeated_push_sends_nothing_again(world: World, turn: Turn) -> None:
    follow(world, turn)
    for _ in range(3):
        assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1]


def test_each_connection_gets_the_events_after_its_cursor(world: World, turn: Turn) -> None:
    publish(world, turn, 4)
    follow(world, turn, "c1", after=0)
    follow(world, turn, "c2", after=4)
    follow(world, turn, "c3", after=5)
    assert world.use_cases.push_events(turn.turn_id)
    assert [world.connection_sender.sent_seqs(ConnectionId(each)) for each in ("c1", "c2", "c3")] == [
        [1, 2, 3, 4, 5],
        [5],
        [],
    ]


def test_all_events_of_several_pages_are_sent(world: World, turn: Turn) -> None:
    publish(world, turn, 450)
    follow(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == list(range(1, 452))


def test_last_event_ends_the_subscription(world: World, turn: Turn) -> None:
    follow(world, turn)
    world.complete(turn)
    publish(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    last = world.connection_sender.sent[-1][1]
    assert (last["events"][-1]["type"], last["done"]) == ("response_complete", True)
    assert followers(world, turn) == []


def test_subscriber_that_has_seen_the_end_gets_an_empty_final_message(world: World, turn: Turn) -> None:
    world.complete(turn)
    end = len(world.events.payloads(turn.turn_id))
    follow(world, turn, after=end)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent == [
        ("c1", {"type": "events", "turn_id": turn.turn_id, "events": [], "next": end, "done": True})
    ]
    assert followers(world, turn) == []


def test_gone_connection_is_deleted_and_others_are_served(world: World, turn: Turn) -> None:
    follow(world, turn, "c1")
    follow(world, turn, "c2")
    world.connection_sender.gone = {"c1"}
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c2")) == [1]
    assert followers(world, turn) == [("c2", 1, 0)]
    assert list(world.connections.stored) == ["c2"]


def test_closed_connection_gets_no_events(world: World, turn: Turn) -> None:
    follow(world, turn)
    world.use_cases.forget_connection(ConnectionId("c1"))
    assert world.use_cases.push_events(turn.turn_id)
    assert (world.connection_sender.sent, followers(world, turn)) == ([], [])


def test_failing_connection_does_not_block_others_and_is_retried(world: World, turn: Turn) -> None:
    follow(world, turn, "c1")
    follow(world, turn, "c2")
    world.connection_sender.failing = {"c1"}
    assert not world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c2")) == [1]
    assert followers(world, turn) == [("c1", 0, 1), ("c2", 1, 0)]
    world.connection_sender.failing = set()
    publish(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1, 2]
    assert world.connection_sender.sent_seqs(ConnectionId("c2")) == [1, 2]
    assert followers(world, turn) == [("c1", 2, 0), ("c2", 2, 0)]


def test_connection_is_closed_after_three_failures(world: World, turn: Turn) -> None:
    follow(world, turn)
    world.connection_sender.failing = {"c1"}
    assert [world.use_cases.push_events(turn.turn_id) for _ in range(3)] == [False, False, True]
    assert world.connection_sender.closed == ["c1"]
    assert (followers(world, turn), world.connections.stored) == ([], {})


def test_failed_delivery_of_text_is_repeated_with_the_next_event_only(world: World, turn: Turn) -> None:
    publish(world, turn)
    follow(world, turn)
    world.connection_sender.failing = {"c1"}
    assert world.use_cases.push_events(turn.turn_id)
    world.connection_sender.failing = set()
    publish(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1, 2, 3]


def test_failed_delivery_of_the_last_event_is_repeated_because_no_event_follows(world: World, turn: Turn) -> None:
    follow(world, turn)
    world.complete(turn)
    world.connection_sender.failing = {"c1"}
    assert [world.use_cases.push_events(turn.turn_id) for _ in range(3)] == [False, False, True]
    assert world.connection_sender.closed == ["c1"]


def test_dead_connection_does_not_repeat_the_batch_of_other_turns(world: World, turn: Turn) -> None:
    turns = [turn, *(world.turn(world.session()) for _ in range(3))]
    for number, each in enumerate(turns):
        publish(world, each)
        follow(world, each, f"c{number}")
    world.connection_sender.failing = {"c0"}
    keys = [{"pk": {"S": f"TURN#{each.turn_id}"}, "sk": {"S": "EVENT#00000002"}} for each in turns]
    records = [{"dynamodb": {"Keys": key, "SequenceNumber": f"{number}"}} for number, key in enumerate(keys)]
    handler = StreamBatchHandler(world.use_cases.push_events, world.use_cases.relay_events)
    assert handler({"Records": records}) == {"batchItemFailures": []}
    sent = [world.connection_sender.sent_seqs(ConnectionId(f"c{number}")) for number in range(4)]
    assert sent == [[], [1, 2], [1, 2], [1, 2]]


def test_delivered_events_are_not_sent_again_after_a_failure(world: World, turn: Turn) -> None:
    world.events.append(
        turn.turn_id, NewEvent(type="token_stream", payload={"text": "x" * 80_000, "round": 0, "attempt": 0})
    )
    world.events.append(
        turn.turn_id, NewEvent(type="token_stream", payload={"text": "x" * 80_000, "round": 0, "attempt": 0})
    )
    follow(world, turn)
    world.connection_sender.on_send = lambda: world.connection_sender.failing.add("c1")
    assert world.use_cases.push_events(turn.turn_id)
    assert followers(world, turn) == [("c1", 2, 1)]
    world.connection_sender.failing, world.connection_sender.on_send = set(), lambda: None
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1, 2, 3]


def test_subscription_renewed_during_a_push_keeps_its_cursor(world: World, turn: Turn) -> None:
    follow(world, turn)
    world.connection_sender.on_send = lambda: world.use_cases.subscribe(
        ConnectionId("c1"), turn.session_id, turn.turn_id, 0
    )
    assert world.use_cases.push_events(turn.turn_id)
    assert followers(world, turn) == [("c1", 0, 0)]


def test_unsubscribing_during_a_push_stops_after_the_message(world: World, turn: Turn) -> None:
    publish(world, turn, 300)
    follow(world, turn)
    world.connection_sender.on_send = lambda: world.use_cases.unsubscribe(ConnectionId("c1"), turn.turn_id)
    assert world.use_cases.push_events(turn.turn_id)
    assert len(world.connection_sender.sent) == 1
    assert followers(world, turn) == []


class TestForgedItems:
    """A runner can write any item into the partition of its turn."""

    def add_forged(self, world: World, turn: Turn, **fields: object) -> None:
        defaults = {"session_id": turn.session_id, "turn_id": turn.turn_id, "sent": 0, "mark": "m"}
        forged = {**defaults, "expires_at": world.clock.now(), **fields}
        world.subscriptions.add(Subscription.model_validate(forged))

    def test_subscription_of_another_users_connection_gets_nothing(self, world: World, turn: Turn) -> None:
        world.use_cases.open_connection(
            ConnectionId("connection-of-bob"), world.use_cases.issue_ticket(BOB).ticket, None
        )
        self.add_forged(world, turn, connection_id="connection-of-bob")
        assert world.use_cases.push_events(turn.turn_id)
        assert (world.connection_sender.sent, followers(world, turn)) == ([], [])
        assert "connection-of-bob" in world.connections.stored

    def test_subscription_with_another_users_session_gets_nothing(self, world: World, turn: Turn) -> None:
        world.use_cases.open_connection(
            ConnectionId("connection-of-bob"), world.use_cases.issue_ticket(BOB).ticket, None
        )
        self.add_forged(world, turn, connection_id="connection-of-bob", session_id=world.session(BOB).session_id)
        assert world.use_cases.push_events(turn.turn_id)
        assert (world.connection_sender.sent, followers(world, turn)) == ([], [])

    def test_unreadable_events_end_the_subscription_only(
        self, world: World, turn: Turn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        follow(world, turn)

        def unreadable(*_: object) -> list[Event]:
            return [Event.model_validate({"seq": 1})]

        monkeypatch.setattr(world.events, "list_after", unreadable)
        assert world.use_cases.push_events(turn.turn_id)
        assert (world.connection_sender.sent, followers(world, turn)) == ([], [])
