import pytest

from satchel.domain.connections import Subscription
from satchel.domain.events import Event, NewEvent
from satchel.domain.ids import ConnectionId
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.fixture
def turn(world: World) -> Turn:
    """A turn of Alice's, with its first event."""
    return world.turn(world.session())


def follow(world: World, turn: Turn, connection_id: str = "c1", after: int = 0, who: Identity = ALICE) -> None:
    world.use_cases.open_connection(ConnectionId(connection_id), world.use_cases.issue_ticket(who).ticket, None)
    world.use_cases.subscribe(ConnectionId(connection_id), turn.session_id, turn.turn_id, after)


def happen(world: World, turn: Turn, count: int = 1) -> None:
    for _ in range(count):
        world.events.append(
            turn.turn_id, NewEvent(type="token_stream", payload={"text": "…", "round": 0, "attempt": 0})
        )


def followers(world: World, turn: Turn) -> list[tuple[str, int, int]]:
    return [(s.connection_id, s.sent, s.failures) for s in world.subscriptions.list_for_turn(turn.turn_id, 100)]


def test_what_was_there_comes_first_and_then_what_happens_without_gap_or_repeat(world: World, turn: Turn) -> None:
    happen(world, turn, 2)
    follow(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1, 2, 3]
    happen(world, turn, 2)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1, 2, 3, 4, 5]


def test_being_called_again_sends_nothing_again(world: World, turn: Turn) -> None:
    follow(world, turn)
    for _ in range(3):
        assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1]


def test_each_connection_is_sent_what_is_behind_its_own_cursor(world: World, turn: Turn) -> None:
    happen(world, turn, 4)
    follow(world, turn, "c1", after=0)
    follow(world, turn, "c2", after=4)
    follow(world, turn, "c3", after=5)
    assert world.use_cases.push_events(turn.turn_id)
    assert [world.connection_sender.sent_seqs(ConnectionId(each)) for each in ("c1", "c2", "c3")] == [
        [1, 2, 3, 4, 5],
        [5],
        [],
    ]


def test_more_events_than_one_page_holds_arrive_all(world: World, turn: Turn) -> None:
    happen(world, turn, 450)
    follow(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == list(range(1, 452))


def test_the_end_of_the_turn_ends_the_subscription_and_nothing_follows_it(world: World, turn: Turn) -> None:
    follow(world, turn)
    world.complete(turn)
    happen(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    last = world.connection_sender.sent[-1][1]
    assert (last["events"][-1]["type"], last["done"]) == ("response_complete", True)
    assert followers(world, turn) == []


def test_who_comes_back_after_having_seen_the_end_is_told_that_it_was_the_end(world: World, turn: Turn) -> None:
    world.complete(turn)
    end = len(world.events.payloads(turn.turn_id))
    follow(world, turn, after=end)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent == [
        ("c1", {"type": "events", "turn_id": turn.turn_id, "events": [], "next": end, "done": True})
    ]
    assert followers(world, turn) == []


def test_nobody_is_told_of_an_end_whose_event_is_still_to_come(world: World, turn: Turn) -> None:
    """It is written a moment after the turn's own end."""
    follow(world, turn, after=1)
    world.turns.end(turn.model_copy(update={"status": "complete", "ended_at": world.clock.now()}))
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent == []
    assert followers(world, turn) == [("c1", 1, 0)]


def test_a_connection_that_is_gone_is_forgotten_and_the_others_are_served(world: World, turn: Turn) -> None:
    follow(world, turn, "c1")
    follow(world, turn, "c2")
    world.connection_sender.gone = {"c1"}
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c2")) == [1]
    assert followers(world, turn) == [("c2", 1, 0)]
    assert list(world.connections.stored) == ["c2"]


def test_a_connection_that_was_closed_is_followed_up_no_more(world: World, turn: Turn) -> None:
    follow(world, turn)
    world.use_cases.forget_connection(ConnectionId("c1"))
    assert world.use_cases.push_events(turn.turn_id)
    assert (world.connection_sender.sent, followers(world, turn)) == ([], [])


def test_one_that_takes_nothing_does_not_hold_up_the_others_and_is_tried_again(world: World, turn: Turn) -> None:
    follow(world, turn, "c1")
    follow(world, turn, "c2")
    world.connection_sender.failing = {"c1"}
    assert not world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c2")) == [1]
    assert followers(world, turn) == [("c1", 0, 1), ("c2", 1, 0)]
    world.connection_sender.failing = set()
    happen(world, turn)
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == world.connection_sender.sent_seqs("c2") == [1, 2]
    assert followers(world, turn) == [("c1", 2, 0), ("c2", 2, 0)]


def test_one_that_takes_nothing_three_times_is_ended_so_that_it_comes_back_with_its_cursor(
    world: World, turn: Turn
) -> None:
    follow(world, turn)
    world.connection_sender.failing = {"c1"}
    assert [world.use_cases.push_events(turn.turn_id) for _ in range(3)] == [False, False, True]
    assert world.connection_sender.closed == ["c1"]
    assert (followers(world, turn), world.connections.stored) == ([], {})


def test_what_arrived_before_a_failure_is_not_sent_again(world: World, turn: Turn) -> None:
    world.events.append(
        turn.turn_id, NewEvent(type="token_stream", payload={"text": "x" * 80_000, "round": 0, "attempt": 0})
    )
    world.events.append(
        turn.turn_id, NewEvent(type="token_stream", payload={"text": "x" * 80_000, "round": 0, "attempt": 0})
    )
    follow(world, turn)
    world.connection_sender.on_send = lambda: world.connection_sender.failing.add("c1")
    assert not world.use_cases.push_events(turn.turn_id)
    assert followers(world, turn) == [("c1", 2, 1)]
    world.connection_sender.failing, world.connection_sender.on_send = set(), lambda: None
    assert world.use_cases.push_events(turn.turn_id)
    assert world.connection_sender.sent_seqs(ConnectionId("c1")) == [1, 2, 3]


def test_a_subscription_made_anew_while_its_events_are_sent_keeps_its_own_cursor(world: World, turn: Turn) -> None:
    follow(world, turn)
    world.connection_sender.on_send = lambda: world.use_cases.subscribe(
        ConnectionId("c1"), turn.session_id, turn.turn_id, 0
    )
    assert world.use_cases.push_events(turn.turn_id)
    assert followers(world, turn) == [("c1", 0, 0)]


def test_unsubscribing_while_events_are_sent_stops_after_that_message(world: World, turn: Turn) -> None:
    happen(world, turn, 300)
    follow(world, turn)
    world.connection_sender.on_send = lambda: world.use_cases.unsubscribe(ConnectionId("c1"), turn.turn_id)
    assert world.use_cases.push_events(turn.turn_id)
    assert len(world.connection_sender.sent) == 1
    assert followers(world, turn) == []


class TestWhatARunnerMayWrite:
    """A runner can write into its own turn's part of the table whatever it likes."""

    def forged(self, world: World, turn: Turn, **given: object) -> None:
        kept = {"session_id": turn.session_id, "turn_id": turn.turn_id, "sent": 0, "mark": "m"}
        forged = {**kept, "expires_at": world.clock.now(), **given}
        world.subscriptions.add(Subscription.model_validate(forged))

    def test_a_subscription_of_somebody_elses_connection_is_sent_nothing(self, world: World, turn: Turn) -> None:
        world.use_cases.open_connection(ConnectionId("of-bob"), world.use_cases.issue_ticket(BOB).ticket, None)
        self.forged(world, turn, connection_id="of-bob")
        assert world.use_cases.push_events(turn.turn_id)
        assert (world.connection_sender.sent, followers(world, turn)) == ([], [])
        assert "of-bob" in world.connections.stored

    def test_nor_is_one_that_names_a_session_of_his(self, world: World, turn: Turn) -> None:
        world.use_cases.open_connection(ConnectionId("of-bob"), world.use_cases.issue_ticket(BOB).ticket, None)
        self.forged(world, turn, connection_id="of-bob", session_id=world.session(BOB).session_id)
        assert world.use_cases.push_events(turn.turn_id)
        assert (world.connection_sender.sent, followers(world, turn)) == ([], [])

    def test_events_that_are_none_end_the_subscription_and_hold_up_nobody(
        self, world: World, turn: Turn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        follow(world, turn)

        def unreadable(*_: object) -> list[Event]:
            return [Event.model_validate({"seq": 1})]

        monkeypatch.setattr(world.events, "after", unreadable)
        assert world.use_cases.push_events(turn.turn_id)
        assert (world.connection_sender.sent, followers(world, turn)) == ([], [])
