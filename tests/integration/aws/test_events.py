import itertools
import time

import pytest

from satchel.adapters.dynamodb.events import LAST_NUMBERS, DynamoEvents
from satchel.adapters.dynamodb.table import Table
from satchel.domain.events import Event, EventType, NewEvent
from satchel.domain.ids import TurnId, UserName
from tests.fakes.storage import FakeFileStore
from tests.fakes.system import FakeClock
from tests.integration.aws.factories import START, make_call, make_session, make_turn, new_turn_id, run_concurrently
from tests.integration.aws.stored_steps import add_calls

END = NewEvent(type="turn_failed", dedupe_key="end")
WRITERS = 8
EACH = 4
TIMEOUT_SECONDS = 60.0


@pytest.fixture
def events(table: Table, clock: FakeClock) -> DynamoEvents:
    return DynamoEvents(table, clock)


@pytest.fixture
def turn_id() -> TurnId:
    return new_turn_id()


def token_event(text: object, dedupe_key: str | None = None) -> NewEvent:
    return NewEvent(type="token_stream", payload={"text": text}, dedupe_key=dedupe_key)


@pytest.mark.parametrize("stored", [0, 2])
def test_expected_first_event_costs_no_read_and_no_event_if_there_are_more(
    events: DynamoEvents, turn_id: TurnId, stored: int
) -> None:
    for number in range(stored):
        events.append(turn_id, token_event(number))
    LAST_NUMBERS.clear()

    events.expect_first(turn_id)
    appended = events.append(turn_id, token_event("next"))

    assert appended is not None
    assert appended.seq == stored + 2
    assert [event.seq for event in events.list_after(turn_id, 0, 10)] == list(range(2, stored + 3))


def test_next_event_is_written_only_behind_the_last_known_one(events: DynamoEvents, turn_id: TurnId) -> None:
    events.expect_first(turn_id)
    written = events.append_next(turn_id, token_event("mine"))
    LAST_NUMBERS.put(turn_id, 1)  # another process

    assert events.append_next(turn_id, token_event("late")) is None
    assert written is not None
    assert [event.payload for event in events.list_after(turn_id, 1, 10)] == [written.payload]


def test_next_event_is_not_written_to_an_ended_turn(events: DynamoEvents, turn_id: TurnId) -> None:
    events.append(turn_id, END)

    assert events.append_next(turn_id, token_event("late")) is None


def test_expected_first_event_adds_nothing_to_an_ended_turn(events: DynamoEvents, turn_id: TurnId) -> None:
    events.append(turn_id, END)
    LAST_NUMBERS.clear()

    events.expect_first(turn_id)

    assert events.append(turn_id, token_event("late")) is None


def test_event_gets_the_next_number_and_the_time(events: DynamoEvents, clock: FakeClock, turn_id: TurnId) -> None:
    first = events.append(turn_id, NewEvent(type="tool_log"))
    clock.advance(1.5)
    second = events.append(turn_id, token_event("grün \U0001f4c8"))

    assert first == Event(seq=2, turn_id=turn_id, type="tool_log", at=START, payload={})
    assert second == Event(
        seq=3, turn_id=turn_id, type="token_stream", at=clock.now(), payload={"text": "grün \U0001f4c8"}
    )


def test_payload_round_trips(events: DynamoEvents, turn_id: TurnId) -> None:
    payload = {"text": 'a"\\\n\x00é', "number": 1.25, "none": None, "list": [{"a": True}]}

    written = events.append(turn_id, NewEvent(type="tool_complete", payload=payload))

    assert events.list_after(turn_id, 0, 10) == [written]


def test_list_after_continues_after_the_cursor(events: DynamoEvents, turn_id: TurnId) -> None:
    written = [events.append(turn_id, token_event(number)) for number in range(5)]

    assert events.list_after(turn_id, 0, 2) == written[:2]
    assert events.list_after(turn_id, 1, 2) == written[:2]
    assert events.list_after(turn_id, 3, 2) == written[2:4]
    assert events.list_after(turn_id, 5, 2) == written[4:]
    assert events.list_after(turn_id, 6, 2) == []
    assert events.list_after(turn_id, 99_999_999, 2) == []


def test_list_after_is_repeatable(events: DynamoEvents, turn_id: TurnId) -> None:
    for number in range(3):
        events.append(turn_id, token_event(number))

    assert events.list_after(turn_id, 2, 10) == events.list_after(turn_id, 2, 10)


def test_unknown_turn_has_no_events(events: DynamoEvents, turn_id: TurnId) -> None:
    assert events.list_after(turn_id, 0, 10) == []


def test_turns_are_numbered_separately_and_calls_are_not_events(
    events: DynamoEvents, table: Table, user: UserName
) -> None:
    turn = make_turn(make_session(user))
    add_calls(table, FakeFileStore(), [make_call(turn)])
    events.append(new_turn_id(), token_event("elsewhere"))

    written = events.append(turn.turn_id, token_event("here"))

    assert written is not None
    assert written.seq == 2
    assert events.list_after(turn.turn_id, 0, 10) == [written]


def test_event_with_a_dedupe_key_is_written_once(events: DynamoEvents, turn_id: TurnId) -> None:
    first = events.append(turn_id, token_event("a", dedupe_key="end"))
    second = events.append(turn_id, token_event("b", dedupe_key="end"))
    other = events.append(turn_id, token_event("c", dedupe_key="start"))

    assert (first and first.seq, second, other and other.seq) == (2, None, 3)
    assert events.list_after(turn_id, 0, 10) == [first, other]


def test_dedupe_key_applies_to_one_turn_only(events: DynamoEvents, turn_id: TurnId) -> None:
    events.append(turn_id, token_event("a", dedupe_key="end"))

    assert events.append(new_turn_id(), token_event("a", dedupe_key="end")) is not None


def test_concurrent_events_with_a_dedupe_key_are_written_once(events: DynamoEvents, turn_id: TurnId) -> None:
    results = run_concurrently([lambda: events.append(turn_id, token_event("end", dedupe_key="end"))] * WRITERS)

    written = [result for result in results if result is not None]
    assert len(written) == 1
    assert events.list_after(turn_id, 0, 10) == written


@pytest.mark.parametrize("end", ["response_complete", "turn_failed"])
def test_nothing_is_written_after_the_final_event(events: DynamoEvents, turn_id: TurnId, end: EventType) -> None:
    first, last = (
        events.append(turn_id, token_event("a")),
        events.append(turn_id, NewEvent(type=end, dedupe_key="end")),
    )

    assert events.append(turn_id, token_event("late")) is None
    assert events.append(turn_id, token_event("late", dedupe_key="text-0")) is None
    assert events.append(turn_id, NewEvent(type=end, dedupe_key="end")) is None
    assert events.list_after(turn_id, 0, 10) == [first, last]


def test_turn_with_a_final_event_only_is_closed(events: DynamoEvents, turn_id: TurnId) -> None:
    last = events.append(turn_id, NewEvent(type="turn_failed", dedupe_key="end"))

    assert events.append(turn_id, token_event("late")) is None
    assert events.list_after(turn_id, 0, 10) == [last]


def test_concurrent_event_is_before_the_final_one_or_not_written(events: DynamoEvents, turn_id: TurnId) -> None:
    run_concurrently(
        [lambda: events.append(turn_id, token_event("a"))] * WRITERS + [lambda: events.append(turn_id, END)]
    )

    stored = events.list_after(turn_id, 0, 100)
    assert [event.seq for event in stored] == list(range(2, len(stored) + 2))
    assert [event.type for event in stored].index("turn_failed") == len(stored) - 1


def test_concurrent_writers_leave_no_gap_and_lose_nothing(events: DynamoEvents, turn_id: TurnId) -> None:
    def write(writer: int) -> list[int]:
        written = [events.append(turn_id, token_event(f"{writer}.{number}")) for number in range(EACH)]
        return [event.seq for event in written if event]

    results = run_concurrently([lambda writer=writer: write(writer) for writer in range(WRITERS)])  # type: ignore[misc]  # a bound default

    numbers = [result for result in results if isinstance(result, list)]
    stored = events.list_after(turn_id, 0, 1000)
    assert [event.seq for event in stored] == list(range(2, WRITERS * EACH + 2))
    assert sorted(itertools.chain(*numbers)) == [event.seq for event in stored]
    assert all(own == sorted(own) for own in numbers)
    assert {event.payload["text"] for event in stored} == {f"{w}.{n}" for w in range(WRITERS) for n in range(EACH)}


def test_reader_that_follows_writers_misses_nothing(events: DynamoEvents, turn_id: TurnId) -> None:
    def write() -> int:
        return sum(events.append(turn_id, token_event(number)) is not None for number in range(EACH))

    def follow() -> int:
        seen: list[int] = []
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while len(seen) < 3 * EACH and time.monotonic() < deadline:
            seen += [event.seq for event in events.list_after(turn_id, seen[-1] if seen else 0, 3)]
        assert seen == list(range(2, 3 * EACH + 2))
        return len(seen)

    assert run_concurrently([write, write, write, follow]) == [EACH, EACH, EACH, 3 * EACH]


@pytest.mark.parametrize(
    ("sort_key", "number"), [("EVENT#notanumber", 3), ("EVENT#00000003", 4)], ids=["no number", "no document"]
)
def test_unreadable_item_does_not_prevent_later_events(
    events: DynamoEvents, table: Table, turn_id: TurnId, sort_key: str, number: int
) -> None:
    first = events.append(turn_id, token_event("first"))
    table.put({"pk": f"TURN#{turn_id}", "sk": sort_key, "doc": "unreadable"})
    LAST_NUMBERS.clear()

    later = events.append(turn_id, token_event("later"))

    assert later is not None
    assert later.seq == number
    assert events.list_after(turn_id, 0, 10) == [first, later]


def test_list_after_stops_at_a_megabyte_and_continues(events: DynamoEvents, turn_id: TurnId) -> None:
    for _ in range(4):
        events.append(turn_id, token_event("x" * 390_000))

    first = events.list_after(turn_id, 0, 100)
    rest = events.list_after(turn_id, first[-1].seq, 100)

    assert len(first) < 4
    assert [event.seq for event in [*first, *rest]] == [2, 3, 4, 5]
