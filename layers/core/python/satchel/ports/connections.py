"""WebSocket connections: tickets, open connections, subscriptions to turns, and the sender of messages."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.connections import Connection, Subscription, Ticket
from satchel.domain.ids import ConnectionId, TurnId


class Tickets(Protocol):
    """One-time tickets by their digest."""

    def add(self, digest: str, ticket: Ticket) -> None:
        """Add a ticket."""
        ...

    def pop(self, digest: str) -> Ticket | None:
        """Remove and return a ticket, or return None. Only one of several concurrent callers gets it."""
        ...


class Connections(Protocol):
    """Open connections by their id. Runners have no access."""

    def add(self, connection: Connection) -> None:
        """Add a connection."""
        ...

    def get(self, connection_id: ConnectionId) -> Connection | None:
        """Return a connection, or None. A returned connection may be closed already."""
        ...

    def remove(self, connection_id: ConnectionId) -> None:
        """Remove a connection, if it exists."""
        ...


class Subscriptions(Protocol):
    """Subscriptions to turns. They are stored with the events of the turn, so that one stream orders both."""

    def add(self, subscription: Subscription) -> None:
        """Add a subscription. It replaces the connection's previous one to the turn; the stream reports it."""
        ...

    def list_for_turn(self, turn_id: TurnId, limit: int) -> Sequence[Subscription]:
        """Return up to ``limit`` subscriptions to a turn, without unreadable items."""
        ...

    def advance(self, subscription: Subscription, sent: int) -> bool:
        """Save the new cursor and reset the failures. Return False if the subscription was removed or replaced."""
        ...

    def save_failures(self, subscription: Subscription, failures: int) -> None:
        """Save the number of failures in a row, unless the subscription was removed or replaced."""
        ...

    def remove_if_unchanged(self, subscription: Subscription) -> None:
        """Remove the subscription, unless it was replaced."""
        ...

    def remove(self, turn_id: TurnId, connection_id: ConnectionId) -> None:
        """Remove a connection's subscription to a turn, if there is one."""
        ...


class ConnectionGone(Exception):
    """The connection is closed."""


class DeliveryFailed(Exception):
    """The message was not delivered. A later attempt may succeed."""


class ConnectionSender(Protocol):
    """Sends messages to connections."""

    def send(self, connection_id: ConnectionId, text: str) -> None:
        """Send a message. Messages of one connection keep their order. Raise ConnectionGone or DeliveryFailed."""
        ...

    def close(self, connection_id: ConnectionId) -> None:
        """Close a connection. Errors are ignored."""
        ...
