"""Event schemas and docs/events.md agree. ``FakeEvents`` checks the events of all use cases against the schemas."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from satchel.domain.events import Event, EventType
from satchel.entrypoints.event_schemas import TurnEvent
from tests.fakes.turns import assert_matches_schema

TURN_ID = "t" + "0" * 26
CALL_ID = f"{TURN_ID}-00-00"
SCHEMA = TypeAdapter(TurnEvent).json_schema()
DOCUMENT = Path(__file__).parents[3] / "docs" / "events.md"


def event(kind: str, **payload: object) -> Event:
    at = datetime(2024, 8, 27, tzinfo=UTC)
    return Event.model_validate({"seq": 1, "turn_id": TURN_ID, "at": at, "type": kind, "payload": payload})


def fields_of(schema: dict[str, Any]) -> set[str]:
    return set(schema["properties"]) - {"seq", "turn_id", "type", "at"}


def documented_fields() -> dict[tuple[str, str | None], set[str]]:
    """Return the fields of each type and update type in the table of the document."""
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    fields = {}
    for kind, text in rows:
        update = re.search(r'`update_type: "(\w+)"`', text)
        fields[kind, update[1] if update else None] = set(re.findall(r"`(\w+)`", text))
    return fields


def test_every_event_type_has_one_schema() -> None:
    assert set(SCHEMA["discriminator"]["mapping"]) == set(get_args(EventType))


def test_document_lists_all_fields_of_each_schema() -> None:
    models = {}
    for kind, reference in SCHEMA["discriminator"]["mapping"].items():
        schema = SCHEMA["$defs"][reference.removeprefix("#/$defs/")]
        for update, inner in schema.get("discriminator", {"mapping": {None: reference}})["mapping"].items():
            models[kind, update] = fields_of(SCHEMA["$defs"][inner.removeprefix("#/$defs/")])
    documented = documented_fields()
    assert documented.keys() == models.keys()
    for key, fields in models.items():
        assert fields - {"update_type"} - documented[key] == set(), key


def test_payload_never_overwrites_sequence_number_turn_type_and_time() -> None:
    forged = event("tool_log", seq=99, turn_id="x", type="turn_failed", at="never", message="hello")
    assert forged.to_json() == {
        "seq": 1,
        "turn_id": TURN_ID,
        "type": "tool_log",
        "at": "2024-08-27T00:00:00Z",
        "message": "hello",
    }


def test_event_that_matches_its_schema_passes() -> None:
    assert_matches_schema(event("tool_log", call_id=CALL_ID, level="info", message="hello"))
    assert_matches_schema(event("intermediate_update", update_type="notification", call_id=CALL_ID, message="hello"))


@pytest.mark.parametrize(
    "invalid_event",
    [
        event("tool_log", call_id=CALL_ID, level="info"),
        event("tool_log", call_id=CALL_ID, level="info", message=["hello"]),
        event("intermediate_update", call_id=CALL_ID, message="hello"),
        event("intermediate_update", update_type="other", call_id=CALL_ID, message="hello"),
    ],
    ids=lambda each: str(each.payload),
)
def test_event_with_a_missing_or_invalid_field_is_rejected(invalid_event: Event) -> None:
    with pytest.raises(ValidationError):
        assert_matches_schema(invalid_event)


@pytest.mark.parametrize(
    "larger_event",
    [
        event("tool_log", call_id=CALL_ID, level="info", message="hello", more=1),
        event("turn_failed", status="failed", error={"error_code": "E", "message": "m", "cause": "secret"}),
    ],
    ids=lambda each: each.type,
)
def test_event_with_an_undocumented_field_is_rejected(larger_event: Event) -> None:
    with pytest.raises(AssertionError):
        assert_matches_schema(larger_event)
