"""Open and forget connections (function sockets)."""

from collections.abc import Collection
from dataclasses import dataclass

from satchel.domain.errors import NotAllowed
from satchel.domain.sockets import CONNECTION_LIFE, Connection, digest_of
from satchel.ports.clock import Clock
from satchel.ports.sockets import Connections, Tickets

_ANY = "*"


@dataclass(frozen=True)
class OpenConnection:
    """``origins`` are the sites whose pages may connect; a program names none."""

    tickets: Tickets
    connections: Connections
    clock: Clock
    origins: Collection[str]

    def __call__(self, connection_id: str, ticket: str | None, origin: str | None) -> Connection:
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

    def __call__(self, connection_id: str) -> None:
        """Forget one that was closed; a second time nothing changes."""
        self.connections.remove(connection_id)
