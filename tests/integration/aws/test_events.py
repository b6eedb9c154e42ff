import itertools
import time

import pytest

from satchel.adapters.dynamodb.calls import DynamoCalls
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.table import Table
from satchel.domain.events import Event, EventType, NewEvent
from satchel.domain.ids import TurnId
from tests.fakes.storage import FakeFileStore
from tests.integration.aws.makers import START, TravelClock, a_call, a_session, a_turn, at_once, fresh

END = NewEvent(type="turn_failed", once="end")
WRITERS = 8
EACH = 4
PATIENCE = 60.0


@pytest.fixture
def events(table: Table, clock: TravelClock) -> DynamoEvents:
    return DynamoEvents(table, clock)


@pytest.fixture
def turn_id() -> str:
    return fresh("t")


def said(text: object, once: str | None = None) -> NewEvent:
    return NewEvent(type="token_stream", payload={"text": text}, once=once)


def test_an_event_gets_the_next_number_and_the_time(events: DynamoEvents, clock: TravelClock, turn_id: str) -> None:
    first = events.append(TurnId(turn_id), NewEvent(type="turn_started"))
    clock.advance(1.5)
    second = events.append(TurnId(turn_id), said("grün \U0001f4c8"))

    assert first == Event(seq=1, turn_id=turn_id, type="turn_started", at=START, payload={})
    assert second == Event(
        seq=2, turn_id=turn_id, type="token_stream", at=clock.now(), payload={"text": "grün \U0001f4c8"}
    )


def test_what_was_written_is_read_in_the_same_words(events: DynamoEvents, turn_id: str) -> None:
    payload = {"text": 'a"\\\n\x00é', "number": 1.25, "none": None, "list": [{"a": True}]}

    written = events.append(TurnId(turn_id), NewEvent(type="tool_complete", payload=payload))

    assert events.after(TurnId(turn_id), 0, 10) == [written]


def test_reading_goes_on_behind_the_cursor(events: DynamoEvents, turn_id: str) -> None:
    written = [events.append(TurnId(turn_id), said(number)) for number in range(5)]

    assert events.after(TurnId(turn_id), 0, 2) == written[:2]
    assert events.after(TurnId(turn_id), 2, 2) == written[2:4]
    assert events.after(TurnId(turn_id), 4, 2) == written[4:]
    assert events.after(TurnId(turn_id), 5, 2) == []
    assert events.after(TurnId(turn_id), 99_999_999, 2) == []


def test_reading_twice_with_one_cursor_gives_the_same(events: DynamoEvents, turn_id: str) -> None:
    for number in range(3):
        events.append(TurnId(turn_id), said(number))

    assert events.after(TurnId(turn_id), 1, 10) == events.after(turn_id, 1, 10)


def test_a_turn_of_which_nothing_is_known_has_no_events(events: DynamoEvents, turn_id: str) -> None:
    assert events.after(TurnId(turn_id), 0, 10) == []


def test_turns_count_by_themselves_and_calls_are_no_events(events: DynamoEvents, table: Table, user: str) -> None:
    turn = a_turn(a_session(user))
    DynamoCalls(table, FakeFileStore()).add([a_call(turn)])
    events.append(TurnId(fresh("t")), said("elsewhere"))

    written = events.append(turn.turn_id, said("here"))

    assert written is not None
    assert written.seq == 1
    assert events.after(turn.turn_id, 0, 10) == [written]


def test_once_is_written_once(events: DynamoEvents, turn_id: str) -> None:
    first = events.append(TurnId(turn_id), said("a", once="end"))
    second = events.append(TurnId(turn_id), said("b", once="end"))
    other = events.append(TurnId(turn_id), said("c", once="start"))

    assert (first and first.seq, second, other and other.seq) == (1, None, 2)
    assert events.after(TurnId(turn_id), 0, 10) == [first, other]


def test_once_holds_within_one_turn_only(events: DynamoEvents, turn_id: str) -> None:
    events.append(TurnId(turn_id), said("a", once="end"))

    assert events.append(TurnId(fresh("t")), said("a", once="end")) is not None


def test_once_is_written_once_by_many_at_once(events: DynamoEvents, turn_id: str) -> None:
    came = at_once([lambda: events.append(TurnId(turn_id), said("end", once="end"))] * WRITERS)

    written = [result for result in came if result is not None]
    assert len(written) == 1
    assert events.after(TurnId(turn_id), 0, 10) == written


@pytest.mark.parametrize("end", ["response_complete", "turn_failed"])
def test_nothing_is_written_behind_the_last_event(events: DynamoEvents, turn_id: str, end: EventType) -> None:
    first, last = events.append(TurnId(turn_id), said("a")), events.append(turn_id, NewEvent(type=end, once="end"))

    assert events.append(TurnId(turn_id), said("late")) is None
    assert events.append(TurnId(turn_id), said("late", once="text-0")) is None
    assert events.append(TurnId(turn_id), NewEvent(type=end, once="end")) is None
    assert events.after(TurnId(turn_id), 0, 10) == [first, last]


def test_a_turn_that_told_nothing_before_its_end_is_closed_too(events: DynamoEvents, turn_id: str) -> None:
    last = events.append(TurnId(turn_id), NewEvent(type="turn_failed", once="end"))

    assert events.append(TurnId(turn_id), said("late")) is None
    assert events.after(TurnId(turn_id), 0, 10) == [last]


def test_whoever_meets_the_end_is_before_it_or_not_there(events: DynamoEvents, turn_id: str) -> None:
    at_once([lambda: events.append(TurnId(turn_id), said("a"))] * WRITERS + [lambda: events.append(turn_id, END)])

    kept = events.after(TurnId(turn_id), 0, 100)
    assert [event.seq for event in kept] == list(range(1, len(kept) + 1))
    assert [event.type for event in kept].index("turn_failed") == len(kept) - 1


def test_many_writers_leave_no_gap_and_lose_nothing(events: DynamoEvents, turn_id: str) -> None:
    def write(writer: int) -> list[int]:
        written = [events.append(TurnId(turn_id), said(f"{writer}.{number}")) for number in range(EACH)]
        return [event.seq for event in written if event]

    came = at_once([lambda writer=writer: write(writer) for writer in range(WRITERS)])  # type: ignore[misc]  # a bound default

    numbers = [result for result in came if isinstance(result, list)]
    kept = events.after(TurnId(turn_id), 0, 1000)
    assert [event.seq for event in kept] == list(range(1, WRITERS * EACH + 1))
    assert sorted(itertools.chain(*numbers)) == [event.seq for event in kept]
    assert all(own == sorted(own) for own in numbers)
    assert {event.payload["text"] for event in kept} == {f"{w}.{n}" for w in range(WRITERS) for n in range(EACH)}


def test_a_reader_that_follows_the_writers_misses_nothing(events: DynamoEvents, turn_id: str) -> None:
    def write() -> int:
        return sum(events.append(TurnId(turn_id), said(number)) is not None for number in range(EACH))

    def follow() -> int:
        seen: list[int] = []
        gives_up = time.monotonic() + PATIENCE
        while len(seen) < 3 * EACH and time.monotonic() < gives_up:
            seen += [event.seq for event in events.after(TurnId(turn_id), seen[-1] if seen else 0, 3)]
        assert seen == list(range(1, 3 * EACH + 1))
        return len(seen)

    assert at_once([write, write, write, follow]) == [EACH, EACH, EACH, 3 * EACH]


def test_reading_stops_at_a_megabyte_and_goes_on(events: DynamoEvents, turn_id: str) -> None:
    for _ in range(4):
        events.append(TurnId(turn_id), said("x" * 390_000))

    first = events.after(TurnId(turn_id), 0, 100)
    rest = events.after(TurnId(turn_id), first[-1].seq, 100)

    assert len(first) < 4
    assert [event.seq for event in [*first, *rest]] == [1, 2, 3, 4]
