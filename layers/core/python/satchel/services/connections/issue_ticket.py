"""Let somebody who is signed in open one connection: browsers cannot sign in where a socket is opened."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from satchel.domain.identity import Identity
from satchel.domain.sockets import TICKET_BYTES, TICKET_LIFE, Ticket, digest_of, new_ticket
from satchel.ports.clock import Clock
from satchel.ports.sockets import Tickets


@dataclass(frozen=True)
class Issued:
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

    def __call__(self, who: Identity) -> Issued:
        """Return a new ticket."""
        ticket = new_ticket(self.entropy(TICKET_BYTES))
        expires_at = self.clock.now() + TICKET_LIFE
        self.tickets.keep(digest_of(ticket), Ticket(user=who.name, groups=sorted(who.groups), expires_at=expires_at))
        return Issued(ticket, expires_at)
