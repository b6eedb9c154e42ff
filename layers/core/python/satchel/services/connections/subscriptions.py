"""Open WebSocket connections with a ticket, and subscribe them to the events of turns (function sockets).

A browser cannot send an Authorization header when it opens a WebSocket. So the client first requests a ticket over
HTTP, and then sends the ticket when it opens the connection.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from satchel.domain.connections import (
    CONNECTION_LIFETIME,
    TICKET_BYTES,
    TICKET_LIFETIME,
    Connection,
    Subscription,
    Ticket,
    new_ticket,
    ticket_digest,
)
from satchel.domain.errors import NotAllowed
from satchel.domain.ids import ConnectionId, SessionId, TurnId
from satchel.domain.users import Identity
from satchel.ports.connections import Connections, Subscriptions, Tickets
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from satchel.ports.turns import Turns
from satchel.services.turns.finish_turn import EndStuckTurn
from satchel.services.turns.read_turn import find_turn

_ANY_ORIGIN = "*"
_MARK_BYTES = 8


@dataclass(frozen=True)
class IssuedTicket:
    """A ticket in clear text. The client receives it once; the server neither stores nor logs the clear text."""

    ticket: str
    expires_at: datetime

    def __repr__(self) -> str:
        return f"IssuedTicket(expires_at={self.expires_at!r})"


@dataclass(frozen=True)
class IssueTicket:
    """Issue tickets for WebSocket connections. Each ticket is valid for one minute and one connection."""

    tickets: Tickets
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, who: Identity) -> IssuedTicket:
        """Return a new ticket for the user. Only the ticket's digest is stored."""
        ticket = new_ticket(self.entropy(TICKET_BYTES))
        expires_at = self.clock.now() + TICKET_LIFETIME
        self.tickets.add(ticket_digest(ticket), Ticket(user=who.name, groups=sorted(who.groups), expires_at=expires_at))
        return IssuedTicket(ticket, expires_at)


@dataclass(frozen=True)
class OpenConnection:
    """Open WebSocket connections. Reject web pages whose origin is not allowed. Other programs send no origin."""

    tickets: Tickets
    connections: Connections
    clock: Clock
    origins: Collection[str]

    def __call__(self, connection_id: ConnectionId, ticket: str | None, origin: str | None) -> Connection:
        """Store a connection for the ticket's user. Raise NotAllowed if the ticket or the origin is invalid."""
        if origin is not None and _ANY_ORIGIN not in self.origins and origin not in self.origins:
            raise NotAllowed("Pages of this origin cannot connect.")
        stored = self.tickets.pop(ticket_digest(ticket)) if ticket else None
        now = self.clock.now()
        if stored is None or stored.expires_at <= now:
            raise NotAllowed("Open the connection with a new ticket from POST /api/ws-ticket.")
        connection = Connection(
            connection_id=connection_id, user=stored.user, groups=stored.groups, expires_at=now + CONNECTION_LIFETIME
        )
        self.connections.add(connection)
        return connection


@dataclass(frozen=True)
class ForgetConnection:
    """Delete closed connections. Subscriptions cannot be looked up by connection: the next push deletes them."""

    connections: Connections

    def __call__(self, connection_id: ConnectionId) -> None:
        """Delete a connection. A connection that does not exist is no error."""
        self.connections.remove(connection_id)


@dataclass(frozen=True)
class Subscribe:
    """Subscribe connections to turns. ``Subscribe`` only stores a record, which then triggers ``PushEvents``."""

    connections: Connections
    sessions: Sessions
    turns: Turns
    subscriptions: Subscriptions
    end_stuck: EndStuckTurn
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, connection_id: ConnectionId, session_id: SessionId, turn_id: TurnId, after: int) -> None:
        """Subscribe to the turn's events after number ``after``. Raise NotAllowed, SessionNotFound or TurnNotFound."""
        connection = self.connections.get(connection_id)
        if connection is None:
            raise NotAllowed("This connection no longer exists. Open a new one.")
        turn = find_turn(self.sessions, self.turns, connection.user, session_id, turn_id)
        self.end_stuck(turn)
        self.subscriptions.add(
            Subscription(
                connection_id=connection_id,
                session_id=session_id,
                turn_id=turn_id,
                sent=after,
                mark=self.entropy(_MARK_BYTES).hex(),
                expires_at=self.clock.now() + CONNECTION_LIFETIME,
            )
        )


@dataclass(frozen=True)
class Unsubscribe:
    """End a connection's subscription to a turn. A missing subscription is no error."""

    subscriptions: Subscriptions

    def __call__(self, connection_id: ConnectionId, turn_id: TurnId) -> None:
        """Stop sending the turn's events to the connection. Messages that were already sent may still arrive."""
        self.subscriptions.remove(turn_id, connection_id)
