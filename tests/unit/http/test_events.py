"""What clients are told to expect of events; that use cases keep to it, ``FakeEvents`` sees to in all their tests."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from satchel.domain.events import Event, EventType
from satchel.entrypoints.event_schemas import ClientEvent
from tests.fakes.events import assert_as_described

SCHEMA = TypeAdapter(ClientEvent).json_schema()
DOCUMENT = Path(__file__).parents[3] / "docs" / "events.md"


def event(kind: str, **payload: object) -> Event:
    at = datetime(2024, 8, 27, tzinfo=UTC)
    return Event.model_validate({"seq": 1, "turn_id": "t", "at": at, "type": kind, "payload": payload})


def fields_of(schema: dict[str, Any]) -> set[str]:
    return set(schema["properties"]) - {"seq", "turn_id", "type", "at"}


def described() -> dict[tuple[str, str | None], set[str]]:
    """Type, kind of update, and what each says, out of the table that people read."""
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    found = {}
    for kind, said in rows:
        update = re.search(r'`update_type: "(\w+)"`', said)
        found[kind, update[1] if update else None] = set(re.findall(r"`(\w+)`", said))
    return found


def test_every_type_has_a_model_and_every_model_a_type() -> None:
    assert set(SCHEMA["discriminator"]["mapping"]) == set(get_args(EventType))


def test_people_read_of_each_type_what_its_model_says() -> None:
    models = {}
    for kind, reference in SCHEMA["discriminator"]["mapping"].items():
        schema = SCHEMA["$defs"][reference.removeprefix("#/$defs/")]
        for update, inner in schema.get("discriminator", {"mapping": {None: reference}})["mapping"].items():
            models[kind, update] = fields_of(SCHEMA["$defs"][inner.removeprefix("#/$defs/")])
    written = described()
    assert written.keys() == models.keys()
    for place, fields in models.items():
        assert fields - {"update_type"} - written[place] == set(), place


def test_what_an_event_says_stands_beside_its_number_and_never_over_it() -> None:
    forged = event("tool_log", seq=99, turn_id="x", type="turn_failed", at="never", message="hello")
    assert forged.shown() == {
        "seq": 1,
        "turn_id": "t",
        "type": "tool_log",
        "at": "2024-08-27T00:00:00Z",
        "message": "hello",
    }


def test_an_event_as_it_is_described_passes() -> None:
    assert_as_described(event("tool_log", call_id="c", level="info", message="hello"))
    assert_as_described(event("intermediate_update", update_type="notification", call_id="c", message="hello"))


@pytest.mark.parametrize(
    "wrong",
    [
        event("tool_log", call_id="c", level="info"),
        event("tool_log", call_id="c", level="info", message=["hello"]),
        event("intermediate_update", call_id="c", message="hello"),
        event("intermediate_update", update_type="other", call_id="c", message="hello"),
    ],
    ids=lambda wrong: str(wrong.payload),
)
def test_an_event_that_lacks_something_is_noticed(wrong: Event) -> None:
    with pytest.raises(ValidationError):
        assert_as_described(wrong)


@pytest.mark.parametrize(
    "more",
    [
        event("tool_log", call_id="c", level="info", message="hello", more=1),
        event("turn_failed", status="failed", error={"error_code": "E", "message": "m", "cause": "secret"}),
    ],
    ids=lambda more: more.type,
)
def test_an_event_that_says_more_is_noticed(more: Event) -> None:
    with pytest.raises(AssertionError):
        assert_as_described(more)
