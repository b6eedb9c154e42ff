"""The events of a turn. Events contain references to files, but no base64, links or tokens."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from satchel.contract.jsonable import JsonObject
from satchel.domain.ids import TurnId
from satchel.domain.sessions import Turn

EventType = Literal[
    "turn_started",
    "servers_starting",
    "token_stream",
    "reasoning_stream",
    "tool_approval_request",
    "tool_approval",
    "input_requested",
    "input_answered",
    "tool_start",
    "tool_progress",
    "tool_notice",
    "tool_log",
    "tool_complete",
    "intermediate_update",
    "response_complete",
    "turn_failed",
]

FIRST_NUMBER = 1
"""The number of a turn's first event, which is not stored."""

FINAL_EVENTS: frozenset[EventType] = frozenset({"response_complete", "turn_failed"})
"""The types of a turn's last event. Each turn ends with exactly one of them."""


STREAMED_EVENTS: frozenset[EventType] = frozenset({"token_stream", "reasoning_stream"})
"""The types of events with pieces of the model's text. Another event of the turn follows each of them soon."""


class NewEvent(BaseModel):
    """An event to append to a turn. The store ignores a repeated ``dedupe_key``, because workflow states may repeat.

    ``payload`` is converted to strict JSON, because one NaN from a tool would make a whole page of events unreadable.
    """

    type: EventType
    payload: JsonObject = {}
    dedupe_key: str | None = None


def imported_event(turn: Turn) -> NewEvent:
    """Return the only event of a turn that its user imported. Clients read its content with the turn."""
    if turn.error is None:
        return NewEvent(type="response_complete", payload={"response": None})
    return NewEvent(type="turn_failed", payload={"status": turn.status, "error": turn.error.model_dump()})


class Event(BaseModel):
    """A stored event. ``seq`` numbers the events of a turn from 1, without gaps."""

    seq: int
    turn_id: TurnId
    type: EventType
    at: datetime
    payload: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for clients: the payload's fields, and the event's other fields, which take precedence."""
        return {**self.payload, **self.model_dump(mode="json", exclude={"payload"})}


def first_event(turn: Turn) -> Event:
    """Return the first event of a turn. It is not stored, because the turn's item says the same."""
    payload = {"session_id": turn.session_id}
    return Event(seq=FIRST_NUMBER, turn_id=turn.turn_id, type="turn_started", at=turn.created_at, payload=payload)
