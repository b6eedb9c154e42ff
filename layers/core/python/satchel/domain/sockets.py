"""Connections that events are pushed to: the ticket that opens one, and the turns that it follows."""

import hashlib
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta

from pydantic import BaseModel

from satchel.domain.ids import SessionId, TurnId, UserName

TICKET_BYTES = 32
TICKET_LIFE = timedelta(seconds=60)
CONNECTION_LIFE = timedelta(hours=2, minutes=10)
"""API Gateway ends a connection after two hours; what is kept of one outlives it by a little."""

MOST_FAILURES = 3
"""How often in a row a connection may fail to take what it is sent, before it is given up."""


class Ticket(BaseModel):
    """Whom a ticket lets in, once, until ``expires_at``."""

    user: UserName
    groups: list[str]
    expires_at: datetime


class Connection(BaseModel):
    """An open connection, and who opened it."""

    connection_id: str
    user: UserName
    groups: list[str]
    expires_at: datetime


class Subscription(BaseModel):
    """One connection follows one turn: ``sent`` is the seq of the last event that it was sent.

    ``mark`` differs for each time that one subscribes, so that what was begun for the last time does not change this.
    """

    connection_id: str
    session_id: SessionId
    turn_id: TurnId
    sent: int
    mark: str
    failures: int = 0
    expires_at: datetime


def new_ticket(entropy: bytes) -> str:
    """Return a ticket as its bearer holds it: text that may stand in a URL."""
    return urlsafe_b64encode(entropy).rstrip(b"=").decode()


def digest_of(ticket: str) -> str:
    """Return what is kept of a ticket: who reads the table cannot use it."""
    return hashlib.sha256(ticket.encode(errors="replace")).hexdigest()
