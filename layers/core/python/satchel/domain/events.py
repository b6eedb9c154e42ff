"""The events of a turn. They contain references only: no base64, no links, no tokens."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from satchel.contract.jsonable import JsonObject
from satchel.domain.ids import TurnId

EventType = Literal[
    "turn_started",
    "token_stream",
    "tool_approval_request",
    "tool_approval",
    "tool_start",
    "tool_progress",
    "tool_notice",
    "tool_log",
    "tool_complete",
    "intermediate_update",
    "response_complete",
    "turn_failed",
]

FINAL_EVENTS: frozenset[EventType] = frozenset({"response_complete", "turn_failed"})
"""The last event of each turn has one of these types."""


class NewEvent(BaseModel):
    """An event to write. A second event with the same ``dedupe_key`` is ignored, because workflow states may repeat.

    ``payload`` is converted to plain JSON: a single NaN from a tool would make a page of events unreadable.
    """

    type: EventType
    payload: JsonObject = {}
    dedupe_key: str | None = None


class Event(BaseModel):
    """A written event. ``seq`` counts from 1 within the turn, without gaps."""

    seq: int
    turn_id: TurnId
    type: EventType
    at: datetime
    payload: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the public JSON: seq, turn, type, time and the payload's fields, which cannot override the former."""
        return {**self.payload, **self.model_dump(mode="json", exclude={"payload"})}
