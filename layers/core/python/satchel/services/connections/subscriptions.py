"""Let somebody who is signed in open one connection: browsers cannot sign in where a socket is opened.

Open and forget connections (function sockets).

Follow the events of a turn over a connection, from a cursor on (function sockets).
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from satchel.domain.connections import (
    CONNECTION_LIFE,
    TICKET_BYTES,
    TICKET_LIFE,
    Connection,
    Subscription,
    Ticket,
    digest_of,
    new_ticket,
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


@dataclass(frozen=True)
class IssuedTicket:
    """A ticket in clear: it is told once, to whom asked for it, and neither kept nor logged."""

    ticket: str
    expires_at: datetime

    def __repr__(self) -> str:
        return f"Issued(expires_at={self.expires_at!r})"


@dataclass(frozen=True)
class IssueTicket:
    """Good for one minute and one connection."""

    tickets: Tickets
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, who: Identity) -> IssuedTicket:
        """Return a new ticket."""
        ticket = new_ticket(self.entropy(TICKET_BYTES))
        expires_at = self.clock.now() + TICKET_LIFE
        self.tickets.keep(digest_of(ticket), Ticket(user=who.name, groups=sorted(who.groups), expires_at=expires_at))
        return IssuedTicket(ticket, expires_at)


_ANY = "*"


@dataclass(frozen=True)
class OpenConnection:
    """``origins`` are the sites whose pages may connect; a program names none."""

    tickets: Tickets
    connections: Connections
    clock: Clock
    origins: Collection[str]

    def __call__(self, connection_id: ConnectionId, ticket: str | None, origin: str | None) -> Connection:
        """Write who it is. Raises NotAllowed, in one way for a ticket that is forged, used or expired."""
        if origin is not None and _ANY not in self.origins and origin not in self.origins:
            raise NotAllowed("Pages of this site may not connect.")
        found = self.tickets.take(digest_of(ticket)) if ticket else None
        now = self.clock.now()
        if found is None or found.expires_at <= now:
            raise NotAllowed("A connection is opened with a new ticket of POST /api/ws-ticket.")
        connection = Connection(
            connection_id=connection_id, user=found.user, groups=found.groups, expires_at=now + CONNECTION_LIFE
        )
        self.connections.add(connection)
        return connection


@dataclass(frozen=True)
class ForgetConnection:
    """What it followed is removed where the next event meets it: nothing lists the turns of a connection."""

    connections: Connections

    def __call__(self, connection_id: ConnectionId) -> None:
        """Forget one that was closed; a second time nothing changes."""
        self.connections.remove(connection_id)


_MARK_BYTES = 8


@dataclass(frozen=True)
class Subscribe:
    """Only writes the subscription: what is there already comes by the stream, in line with what is still to come."""

    connections: Connections
    sessions: Sessions
    turns: Turns
    subscriptions: Subscriptions
    end_stuck: EndStuckTurn
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, connection_id: ConnectionId, session_id: SessionId, turn_id: TurnId, after: int) -> None:
        """Have the events behind ``after`` sent. Raises NotAllowed, SessionNotFound, TurnNotFound."""
        connection = self.connections.get(connection_id)
        if connection is None:
            raise NotAllowed("This connection is not known any more; open another one.")
        turn = find_turn(self.sessions, self.turns, connection.user, session_id, turn_id)
        self.end_stuck.publish_end(self.end_stuck(turn))
        self.subscriptions.add(
            Subscription(
                connection_id=connection_id,
                session_id=session_id,
                turn_id=turn_id,
                sent=after,
                mark=self.entropy(_MARK_BYTES).hex(),
                expires_at=self.clock.now() + CONNECTION_LIFE,
            )
        )


@dataclass(frozen=True)
class Unsubscribe:
    """Safe to repeat."""

    subscriptions: Subscriptions

    def __call__(self, connection_id: ConnectionId, turn_id: TurnId) -> None:
        """Send no more of a turn; what is under way may still arrive."""
        self.subscriptions.remove(turn_id, connection_id)
