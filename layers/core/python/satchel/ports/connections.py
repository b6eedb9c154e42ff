"""WebSocket connections: tickets, open connections, subscriptions to turns, and the sender of messages."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.connections import Connection, Subscription, Ticket
from satchel.domain.ids import ConnectionId, TurnId


class Tickets(Protocol):
    """Stores one-time tickets, which open WebSocket connections, by their digest."""

    def add(self, digest: str, ticket: Ticket) -> None:
        """Add a ticket."""
        ...

    def pop(self, digest: str) -> Ticket | None:
        """Remove and return a ticket, or return None. Only one of several concurrent callers gets the ticket."""
        ...


class Connections(Protocol):
    """Stores open WebSocket connections by id. Runners (which execute tools) have no access."""

    def add(self, connection: Connection) -> None:
        """Add a connection."""
        ...

    def get(self, connection_id: ConnectionId) -> Connection | None:
        """Return a connection, or None. A returned connection may already be closed."""
        ...

    def remove(self, connection_id: ConnectionId) -> None:
        """Remove a connection, if it exists."""
        ...


class Subscriptions(Protocol):
    """Stores subscriptions to turns, next to the turns' events, so that one DynamoDB stream delivers both in order."""

    def add(self, subscription: Subscription) -> None:
        """Store a subscription, or replace the connection's earlier one to the turn. The write triggers a push."""
        ...

    def list_for_turn(self, turn_id: TurnId, limit: int) -> Sequence[Subscription]:
        """Return up to ``limit`` subscriptions to a turn. Unreadable table items are skipped."""
        ...

    def advance(self, subscription: Subscription, sent: int) -> bool:
        """Save ``sent``, the number of the last sent event, and reset the failure count.

        Return False if the subscription was removed or replaced, or if another push has sent later events.
        """
        ...

    def save_failures(self, subscription: Subscription, failures: int) -> None:
        """Save the number of consecutive failed deliveries, unless the subscription was removed or replaced."""
        ...

    def remove_if_unchanged(self, subscription: Subscription) -> None:
        """Remove the subscription, unless it was replaced."""
        ...

    def remove(self, turn_id: TurnId, connection_id: ConnectionId) -> None:
        """Remove a connection's subscription to a turn, if there is one."""
        ...


class ConnectionGone(Exception):
    """The WebSocket connection is closed, so no message can be sent."""


class DeliveryFailed(Exception):
    """The message was not delivered. A later attempt may succeed."""


class ConnectionSender(Protocol):
    """Sends messages to WebSocket connections."""

    def send(self, connection_id: ConnectionId, text: str) -> None:
        """Send a message. Messages of one connection keep their order. Raise ConnectionGone or DeliveryFailed."""
        ...

    def close(self, connection_id: ConnectionId) -> None:
        """Close a connection. Errors are ignored."""
        ...
