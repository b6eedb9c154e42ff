"""Connections that events are pushed to: tickets, who is connected, who follows what, and the way to them."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.connections import Connection, Subscription, Ticket
from satchel.domain.ids import ConnectionId, TurnId


class Tickets(Protocol):
    """Tickets by their digest."""

    def add(self, digest: str, ticket: Ticket) -> None:
        """Write a new ticket."""
        ...

    def pop(self, digest: str) -> Ticket | None:
        """Return a ticket and remove it: of many who come with it, one gets it."""
        ...


class Connections(Protocol):
    """Open connections by their id; no runner may write them."""

    def add(self, connection: Connection) -> None:
        """Write a connection."""
        ...

    def get(self, connection_id: ConnectionId) -> Connection | None:
        """Return a connection that is open, as far as is known."""
        ...

    def remove(self, connection_id: ConnectionId) -> None:
        """Forget a connection; an unknown one is no error."""
        ...


class Subscriptions(Protocol):
    """Who follows a turn. They lie beside its events, so that the stream tells of both in order."""

    def add(self, subscription: Subscription) -> None:
        """Write a subscription in the place of what this connection had for this turn; the stream tells of it."""
        ...

    def list_for_turn(self, turn_id: TurnId, limit: int) -> Sequence[Subscription]:
        """Return up to ``limit`` subscriptions to a turn; what cannot be read as one is passed over."""
        ...

    def advance(self, subscription: Subscription, sent: int) -> bool:
        """Move its cursor after a success; False when it is not there any more, or was made anew."""
        ...

    def save_failures(self, subscription: Subscription, failures: int) -> None:
        """Count failures in a row, unless it was made anew; its cursor stays where it is."""
        ...

    def remove_if_unchanged(self, subscription: Subscription) -> None:
        """Remove it, unless it was made anew."""
        ...

    def remove(self, turn_id: TurnId, connection_id: ConnectionId) -> None:
        """Remove what a connection has for a turn; nothing is no error."""
        ...


class ConnectionGone(Exception):
    """Nobody is at the other end any more."""


class DeliveryFailed(Exception):
    """The message did not arrive; trying again later may help."""


class ConnectionSender(Protocol):
    """The way to connections."""

    def send(self, connection_id: ConnectionId, text: str) -> None:
        """Send one message, after those before it. Raises ConnectionGone and DeliveryFailed."""
        ...

    def close(self, connection_id: ConnectionId) -> None:
        """End a connection; one that cannot be ended is left alone."""
        ...
