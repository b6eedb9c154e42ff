import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.connections import MAX_MESSAGE_BYTES, batch_events, end_message
from satchel.domain.events import Event, EventType
from satchel.domain.ids import TurnId

AT = datetime(2026, 3, 1, tzinfo=UTC)
TURN = TurnId("t01m7yz1r8n2r5ma60y7wks3pzy")
API_GATEWAY_BYTES = 128 << 10


def event(seq: int, kind: EventType = "token_stream", **payload: object) -> Event:
    return Event(seq=seq, turn_id=TURN, type=kind, at=AT, payload=payload)


def messages(*events: Event) -> list[dict[str, Any]]:
    return [json.loads(frame.text) for frame in batch_events(TURN, events)]


def test_events_travel_together_as_they_are_read_by_the_api() -> None:
    assert messages(event(4, text="a"), event(5, text="b")) == [
        {
            "type": "events",
            "turn_id": TURN,
            "events": [
                {"seq": 4, "turn_id": TURN, "type": "token_stream", "at": "2026-03-01T00:00:00Z", "text": "a"},
                {"seq": 5, "turn_id": TURN, "type": "token_stream", "at": "2026-03-01T00:00:00Z", "text": "b"},
            ],
            "next": 5,
            "done": False,
        }
    ]


def test_nothing_makes_no_message() -> None:
    assert messages() == []


@pytest.mark.parametrize("kind", ["response_complete", "turn_failed"])
def test_the_last_event_says_that_it_is_the_last_and_nothing_follows_it(kind: EventType) -> None:
    (message,) = messages(event(1), event(2, kind), event(3))
    assert [told["seq"] for told in message["events"]] == [1, 2]
    assert (message["next"], message["done"]) == (2, True)


def test_what_does_not_fit_into_one_message_goes_into_the_next() -> None:
    half = "x" * (MAX_MESSAGE_BYTES // 2)
    found = messages(event(1, text="a"), event(2, text=half), event(3, text=half), event(4, text="b"))
    assert [[told["seq"] for told in message["events"]] for message in found] == [[1, 2], [3, 4]]
    assert [message["next"] for message in found] == [2, 4]


def test_an_event_that_no_message_holds_is_named_so_that_it_can_be_read() -> None:
    (message,) = messages(event(1, text="a"), event(2, text="x" * MAX_MESSAGE_BYTES), event(3, text="b"))
    assert [told.get("text") for told in message["events"]] == ["a", None, "b"]
    assert message["events"][1] == {
        "seq": 2,
        "turn_id": TURN,
        "type": "token_stream",
        "at": "2026-03-01T00:00:00Z",
        "truncated": True,
    }


def test_who_has_seen_all_is_told_so() -> None:
    frame = end_message(TURN, 7)
    assert json.loads(frame.text) == {"type": "events", "turn_id": TURN, "events": [], "next": 7, "done": True}
    assert (frame.next, frame.done) == (7, True)


@given(st.lists(st.tuples(st.sampled_from('aä😀\n"'), st.integers(0, MAX_MESSAGE_BYTES)), max_size=12))
def test_every_event_is_in_one_message_that_api_gateway_takes(texts: list[tuple[str, int]]) -> None:
    events = [event(place + 1, text=char * count) for place, (char, count) in enumerate(texts)]
    made = list(batch_events(TURN, events))
    assert all(len(frame.text.encode()) <= MAX_MESSAGE_BYTES < API_GATEWAY_BYTES for frame in made)
    told = [told["seq"] for frame in made for told in json.loads(frame.text)["events"]]
    assert told == [each.seq for each in events]
