"""Batches of events for WebSocket messages."""

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


def event(seq: int, event_type: EventType = "token_stream", **payload: object) -> Event:
    return Event(seq=seq, turn_id=TURN, type=event_type, at=AT, payload=payload)


def messages(*events: Event) -> list[dict[str, Any]]:
    return [json.loads(message.text) for message in batch_events(TURN, events)]


def test_events_share_a_message_in_the_form_of_the_api() -> None:
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


def test_no_events_give_no_message() -> None:
    assert messages() == []


@pytest.mark.parametrize("event_type", ["response_complete", "turn_failed"])
def test_final_event_sets_done_and_ends_the_messages(event_type: EventType) -> None:
    (message,) = messages(event(1), event(2, event_type), event(3))
    assert [entry["seq"] for entry in message["events"]] == [1, 2]
    assert (message["next"], message["done"]) == (2, True)


def test_events_beyond_the_size_limit_go_into_the_next_message() -> None:
    half = "x" * (MAX_MESSAGE_BYTES // 2)
    found = messages(event(1, text="a"), event(2, text=half), event(3, text=half), event(4, text="b"))
    assert [[entry["seq"] for entry in message["events"]] for message in found] == [[1, 2], [3, 4]]
    assert [message["next"] for message in found] == [2, 4]


def test_event_too_large_for_a_message_is_sent_without_payload() -> None:
    (message,) = messages(event(1, text="a"), event(2, text="x" * MAX_MESSAGE_BYTES), event(3, text="b"))
    assert [entry.get("text") for entry in message["events"]] == ["a", None, "b"]
    assert message["events"][1] == {
        "seq": 2,
        "turn_id": TURN,
        "type": "token_stream",
        "at": "2026-03-01T00:00:00Z",
        "truncated": True,
    }


def test_end_message_has_no_events_and_is_done() -> None:
    message = end_message(TURN, 7)
    assert json.loads(message.text) == {"type": "events", "turn_id": TURN, "events": [], "next": 7, "done": True}
    assert (message.next, message.done) == (7, True)


@given(st.lists(st.tuples(st.sampled_from('aä😀\n"'), st.integers(0, MAX_MESSAGE_BYTES)), max_size=12))
def test_each_event_is_in_one_message_within_the_limit_of_api_gateway(texts: list[tuple[str, int]]) -> None:
    events = [event(index + 1, text=char * count) for index, (char, count) in enumerate(texts)]
    batches = list(batch_events(TURN, events))
    assert all(len(message.text.encode()) <= MAX_MESSAGE_BYTES < API_GATEWAY_BYTES for message in batches)
    seqs = [entry["seq"] for message in batches for entry in json.loads(message.text)["events"]]
    assert seqs == [each.seq for each in events]
