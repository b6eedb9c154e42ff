"""Connections that events are pushed to: the ticket that opens one, and the turns that it follows.

What goes over a connection: events in messages under a size, the same events as ``GET …/events`` answers.
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
"""API Gateway ends a connection after two hours; what is kept of one outlives it by a little."""

MAX_FAILURES = 3
"""How often in a row a connection may fail to take what it is sent, before it is given up."""


class Ticket(BaseModel):
    """Whom a ticket lets in, once, until ``expires_at``."""

    user: UserName
    groups: list[str]
    expires_at: datetime


class Connection(BaseModel):
    """An open connection, and who opened it."""

    connection_id: ConnectionId
    user: UserName
    groups: list[str]
    expires_at: datetime


class Subscription(BaseModel):
    """One connection follows one turn: ``sent`` is the seq of the last event that it was sent.

    ``mark`` differs for each time that one subscribes, so that what was begun for the last time does not change this.
    """

    connection_id: ConnectionId
    session_id: SessionId
    turn_id: TurnId
    sent: int
    mark: str
    failures: int = 0
    expires_at: datetime


def new_ticket(entropy: bytes) -> str:
    """Return a ticket as its bearer holds it: text that may stand in a URL."""
    return urlsafe_b64encode(entropy).rstrip(b"=").decode()


def ticket_digest(ticket: str) -> str:
    """Return what is kept of a ticket: who reads the table cannot use it."""
    return hashlib.sha256(ticket.encode(errors="replace")).hexdigest()


MAX_MESSAGE_BYTES = 120_000
"""Of one message; API Gateway takes 128 KB. It cuts messages into its frames of 32 KB, and counts those, by itself."""

_ENVELOPE_BYTES = 200


class WsMessage(NamedTuple):
    """One message; ``next`` is the cursor behind it, and after ``done`` nothing follows."""

    text: str
    next: int
    done: bool


def batch_events(turn_id: TurnId, events: Sequence[Event]) -> Iterator[WsMessage]:
    """Give events, in order, in as few messages as hold them, up to the turn's last event."""
    waiting: list[dict[str, Any]] = []
    size = _ENVELOPE_BYTES
    for event in events:
        shown, more = _to_entry(event)
        if waiting and size + more > MAX_MESSAGE_BYTES:
            yield _message(turn_id, waiting, done=False)
            waiting, size = [], _ENVELOPE_BYTES
        waiting.append(shown)
        size += more
        if event.type in FINAL_EVENTS:
            yield _message(turn_id, waiting, done=True)
            return
    if waiting:
        yield _message(turn_id, waiting, done=False)


def end_message(turn_id: TurnId, after: int) -> WsMessage:
    """Return the message for one who has seen all of a turn that has ended."""
    return WsMessage(_text(turn_id, [], after, done=True), after, done=True)


def _to_entry(event: Event) -> tuple[dict[str, Any], int]:
    """Return an event with its size in bytes, comma included; of one that no message holds, where it can be read."""
    shown = event.to_json()
    size = len(_json(shown).encode()) + 1
    if size + _ENVELOPE_BYTES <= MAX_MESSAGE_BYTES:
        return shown, size
    reference = event.model_copy(update={"payload": {"truncated": True}}).to_json()
    return reference, len(_json(reference).encode()) + 1


def _message(turn_id: TurnId, shown: list[dict[str, Any]], *, done: bool) -> WsMessage:
    last: int = shown[-1]["seq"]
    return WsMessage(_text(turn_id, shown, last, done=done), last, done)


def _text(turn_id: TurnId, shown: list[dict[str, Any]], last: int, *, done: bool) -> str:
    return _json({"type": "events", "turn_id": turn_id, "events": shown, "next": last, "done": done})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
