"""The AsyncAPI document: generated from the models, and true for what is sent."""

import json
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from infra.sources import ROOT
from local.emulator.asyncapi import DOCUMENT, asyncapi_document
from satchel.domain.connections import MAX_MESSAGE_BYTES, batch_events, end_message
from satchel.domain.events import Event
from satchel.domain.ids import TurnId

OFFICIAL = ROOT / ".venv/api-clients-node/node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json"
TURN_ID = TurnId("t" + "0" * 26)


def event(seq: int, kind: str, **payload: object) -> Event:
    at = datetime(2026, 8, 27, tzinfo=UTC)
    return Event.model_validate({"seq": seq, "turn_id": TURN_ID, "at": at, "type": kind, "payload": payload})


def assert_is_documented(message: dict[str, Any]) -> None:
    """Check a message with the schema that the document has for its type."""
    document = asyncapi_document()
    payload = document["components"]["messages"][message["type"]]["payload"]
    jsonschema.Draft202012Validator({**document, **payload}).validate(message)


def test_document_is_up_to_date() -> None:
    assert json.loads(DOCUMENT.read_text(encoding="utf-8")) == asyncapi_document(), "run `make asyncapi`"


def test_document_is_valid_asyncapi() -> None:
    if not OFFICIAL.exists():
        pytest.skip("npm is not installed")
    jsonschema.Draft7Validator(json.loads(OFFICIAL.read_text(encoding="utf-8"))).validate(asyncapi_document())


def test_every_property_is_described() -> None:
    schemas = asyncapi_document()["components"]["schemas"]
    missing = [
        f"{name}.{key}"
        for name, schema in schemas.items()
        for key, value in schema.get("properties", {}).items()
        if not value.keys() & {"description", "const", "$ref"}
    ]
    assert missing == []


def test_messages_with_events_are_documented() -> None:
    events = [
        event(1, "turn_started", session_id="s" + "0" * 26),
        event(2, "token_stream", text="Hi", round=0, attempt=0),
        event(3, "token_stream", text="x" * MAX_MESSAGE_BYTES, round=0, attempt=0),
        event(4, "turn_failed", status="failed", error={"error_code": "E_TURN_FAILED", "message": "No."}),
    ]
    messages = [json.loads(each.text) for each in batch_events(TURN_ID, events)]
    assert [each["seq"] for message in messages for each in message["events"]] == [1, 2, 3, 4]
    assert {"truncated"} <= {key for message in messages for each in message["events"] for key in each}
    for message in [*messages, json.loads(end_message(TURN_ID, 4).text)]:
        assert_is_documented(message)


@pytest.mark.parametrize(
    "changes",
    [{"next": "4"}, {"done": None}, {"events": [{"seq": 1}]}, {"events": [{"type": "token_stream", "seq": 1}]}],
)
def test_other_messages_with_events_are_refused(changes: dict[str, Any]) -> None:
    message = {"type": "events", "turn_id": TURN_ID, "events": [], "next": 0, "done": True}
    assert_is_documented(message)
    with pytest.raises(jsonschema.ValidationError):
        assert_is_documented(message | changes)
