"""WebSocket connections: tickets that open them, subscriptions to turns, and messages with the events of a turn."""

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
"""Lifetime of the record of a connection. API Gateway closes every connection two hours after it opened."""

MAX_FAILURES = 3
"""A connection is closed after this many failed deliveries in a row."""

MAX_MESSAGE_BYTES = 120_000
"""Maximum size of a WebSocket message, below API Gateway's limit of 128 KB."""

_ENVELOPE_BYTES = 200


class Ticket(BaseModel):
    """A one-time ticket that allows this user to open one WebSocket connection until ``expires_at``."""

    user: UserName
    groups: list[str]
    expires_at: datetime


class Connection(BaseModel):
    """An open WebSocket connection and the user who opened it."""

    connection_id: ConnectionId
    user: UserName
    groups: list[str]
    expires_at: datetime


class Subscription(BaseModel):
    """A WebSocket connection that follows a turn. ``sent`` is the ``seq`` of the last event sent to the connection.

    Every subscription has a unique ``mark``. If a connection subscribes to a turn again, a delivery that began for the
    old subscription finds a different ``mark``, and does not change the new subscription.
    """

    connection_id: ConnectionId
    session_id: SessionId
    turn_id: TurnId
    sent: int
    mark: str
    failures: int = 0
    expires_at: datetime


def new_ticket(entropy: bytes) -> str:
    """Encode random bytes as URL-safe text: the ticket that the client sends when it connects."""
    return urlsafe_b64encode(entropy).rstrip(b"=").decode()


def ticket_digest(ticket: str) -> str:
    """Return a ticket's hash. The table stores only the hash, so reading the table reveals no usable ticket."""
    return hashlib.sha256(ticket.encode(errors="replace")).hexdigest()


class WsMessage(NamedTuple):
    """One WebSocket message. ``next`` is the cursor for later events. ``done`` marks the last message of the turn."""

    text: str
    next: int
    done: bool


def batch_events(turn_id: TurnId, events: Sequence[Event]) -> Iterator[WsMessage]:
    """Pack the events of a turn, up to its final event, into as few messages as possible. Keep their order."""
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
    """Return a final message without events, for a client that already has all events of an ended turn."""
    return WsMessage(_text(turn_id, [], after, done=True), after, done=True)


def _to_entry(event: Event) -> tuple[dict[str, Any], int]:
    """Return an event's JSON and its size in bytes (plus a comma). Drop a payload that does not fit in a message."""
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
