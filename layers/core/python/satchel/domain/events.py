"""What happens in a turn, in order. References only: no base64, no links, no tokens."""

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
"""A turn has one of these, as its last."""


class NewEvent(BaseModel):
    """An event about to be written. With ``once``, writing the same value again is nothing: states may run twice.

    ``payload`` is made plain JSON: a tool may say NaN, and one such event would make a whole page unreadable.
    """

    type: EventType
    payload: JsonObject = {}
    dedupe_key: str | None = None


class Event(BaseModel):
    """A written event; ``seq`` counts from 1 within its turn, without gaps."""

    seq: int
    turn_id: TurnId
    type: EventType
    at: datetime
    payload: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return it as it travels: what it says stands beside its number, turn, type and time, never over them."""
        return {**self.payload, **self.model_dump(mode="json", exclude={"payload"})}
