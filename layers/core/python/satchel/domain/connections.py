"""WebSocket connections: the ticket that opens one, the turns that it follows, and the messages that carry events.

The messages carry the same events as ``GET …/events`` returns.
"""

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pydantic import BaseModel

from satchel.domain.events import FINAL_EVENTS, Event
from satchel.domain.ids import ConnectionId, SessionId, TurnId, UserName

TICKET_BYTES = 32
TICKET_LIFETIME = timedelta(seconds=60)
CONNECTION_LIFETIME = timedelta(hours=2, minutes=10)
"""Records of a connection expire shortly after API Gateway's limit of two hours."""

MAX_FAILURES = 3
"""Failed deliveries in a row until a connection is closed."""

MAX_MESSAGE_BYTES = 120_000
"""API Gateway's limit is 128 KB. API Gateway splits messages into frames of 32 KB, and bills for those, by itself."""

_ENVELOPE_BYTES = 200


class Ticket(BaseModel):
    """The user whom a one-time ticket signs in, until ``expires_at``."""

    user: UserName
    groups: list[str]
    expires_at: datetime


class Connection(BaseModel):
    """An open connection and the user who opened it."""

    connection_id: ConnectionId
    user: UserName
    groups: list[str]
    expires_at: datetime


class Subscription(BaseModel):
    """A connection that follows a turn. ``sent`` is the seq of the last event sent to it.

    Each subscription of the same connection to the same turn has its own ``mark``, so that work begun for the previous
    subscription does not change the current one.
    """

    connection_id: ConnectionId
    session_id: SessionId
    turn_id: TurnId
    sent: int
    mark: str
    failures: int = 0
    expires_at: datetime


def new_ticket(entropy: bytes) -> str:
    """Return the client's form of a ticket: URL-safe text."""
    return urlsafe_b64encode(entropy).rstrip(b"=").decode()


def ticket_digest(ticket: str) -> str:
    """Return the stored form of a ticket: a hash, so that a reader of the table cannot use the ticket."""
    return hashlib.sha256(ticket.encode(errors="replace")).hexdigest()


class WsMessage(NamedTuple):
    """One WebSocket message. ``next`` is the cursor after it; no message follows one with ``done``."""

    text: str
    next: int
    done: bool


def batch_events(turn_id: TurnId, events: Sequence[Event]) -> Iterator[WsMessage]:
    """Yield the events, in order and up to the turn's final one, in as few messages as possible."""
    batch: list[dict[str, Any]] = []
    size = _ENVELOPE_BYTES
    for event in events:
        entry, entry_size = _to_entry(event)
        if batch and size + entry_size > MAX_MESSAGE_BYTES:
            yield _message(turn_id, batch, done=False)
            batch, size = [], _ENVELOPE_BYTES
        batch.append(entry)
        size += entry_size
        if event.type in FINAL_EVENTS:
            yield _message(turn_id, batch, done=True)
            return
    if batch:
        yield _message(turn_id, batch, done=False)


def end_message(turn_id: TurnId, after: int) -> WsMessage:
    """Return the message for a client that already has all events of an ended turn."""
    return WsMessage(_text(turn_id, [], after, done=True), after, done=True)


def _to_entry(event: Event) -> tuple[dict[str, Any], int]:
    """Return an event's JSON and its size in bytes, with a comma. An event too large for a message has no payload."""
    entry = event.to_json()
    size = len(_json(entry).encode()) + 1
    if size + _ENVELOPE_BYTES <= MAX_MESSAGE_BYTES:
        return entry, size
    reference = event.model_copy(update={"payload": {"truncated": True}}).to_json()
    return reference, len(_json(reference).encode()) + 1


def _message(turn_id: TurnId, batch: list[dict[str, Any]], *, done: bool) -> WsMessage:
    last: int = batch[-1]["seq"]
    return WsMessage(_text(turn_id, batch, last, done=done), last, done)


def _text(turn_id: TurnId, batch: list[dict[str, Any]], last: int, *, done: bool) -> str:
    return _json({"type": "events", "turn_id": turn_id, "events": batch, "next": last, "done": done})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
