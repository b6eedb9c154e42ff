"""Events contain a copy of their payload as plain JSON."""

import math

from satchel.domain.events import NewEvent


def test_payload_is_converted_to_plain_json() -> None:
    event = NewEvent(type="tool_progress", payload={"progress": math.nan, "total": math.inf, "message": "\ud800"})
    assert event.payload == {"progress": None, "total": None, "message": "\N{REPLACEMENT CHARACTER}"}


def test_payload_does_not_change_with_the_original_data() -> None:
    arguments = {"filename": "a.csv"}
    event = NewEvent(type="tool_start", payload={"arguments": arguments})
    arguments["filename"] = "b.csv"
    assert event.payload == {"arguments": {"filename": "a.csv"}}
