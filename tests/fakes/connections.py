"""In-memory tickets, connections and subscriptions, and a sender that records messages."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from satchel.domain.connections import Connection, Subscription, Ticket
from satchel.domain.ids import ConnectionId, TurnId
from satchel.ports.connections import ConnectionGone, DeliveryFailed


class FakeTickets:
    """Implements ``ports.connections.Tickets``."""

    def __init__(self) -> None:
        self.stored: dict[str, Ticket] = {}

    def add(self, digest: str, ticket: Ticket) -> None:
        self.stored[digest] = ticket

    def pop(self, digest: str) -> Ticket | None:
        return self.stored.pop(digest, None)


class FakeConnections:
    """Implements ``ports.connections.Connections``."""

    def __init__(self) -> None:
        self.stored: dict[str, Connection] = {}

    def add(self, connection: Connection) -> None:
        self.stored[connection.connection_id] = connection

    def get(self, connection_id: ConnectionId) -> Connection | None:
        return self.stored.get(connection_id)

    def remove(self, connection_id: ConnectionId) -> None:
        self.stored.pop(connection_id, None)


class FakeSubscriptions:
    """Implements ``ports.connections.Subscriptions``."""

    def __init__(self) -> None:
        self._stored: dict[tuple[str, str], Subscription] = {}

    def add(self, subscription: Subscription) -> None:
        self._stored[_key(subscription)] = subscription

    def list_for_turn(self, turn_id: TurnId, limit: int) -> Sequence[Subscription]:
        return [subscription for (turn, _), subscription in sorted(self._stored.items()) if turn == turn_id][:limit]

    def advance(self, subscription: Subscription, sent: int) -> bool:
        stored = self._stored.get(_key(subscription))
        return stored is not None and stored.sent <= sent and self._update(subscription, sent=sent, failures=0)

    def save_failures(self, subscription: Subscription, failures: int) -> None:
        self._update(subscription, failures=failures)

    def remove_if_unchanged(self, subscription: Subscription) -> None:
        if self._is_same(subscription):
            del self._stored[_key(subscription)]

    def remove(self, turn_id: TurnId, connection_id: ConnectionId) -> None:
        self._stored.pop((turn_id, connection_id), None)

    def _update(self, subscription: Subscription, **fields: int) -> bool:
        if not self._is_same(subscription):
            return False
        self._stored[_key(subscription)] = self._stored[_key(subscription)].model_copy(update=fields)
        return True

    def _is_same(self, subscription: Subscription) -> bool:
        stored = self._stored.get(_key(subscription))
        return stored is not None and stored.mark == subscription.mark


def _key(subscription: Subscription) -> tuple[str, str]:
    return subscription.turn_id, subscription.connection_id


class FakeConnectionSender:
    """Implements ``ports.connections.ConnectionSender``. ``gone`` connections are closed, ``failing`` ones raise."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.closed: list[str] = []
        self.gone: set[str] = set()
        self.failing: set[str] = set()
        self.on_send: Callable[[], None] = lambda: None

    def send(self, connection_id: ConnectionId, text: str) -> None:
        if connection_id in self.gone:
            raise ConnectionGone
        if connection_id in self.failing:
            raise DeliveryFailed("LimitExceededException")
        self.sent.append((connection_id, json.loads(text)))
        self.on_send()

    def close(self, connection_id: ConnectionId) -> None:
        self.closed.append(connection_id)

    def sent_seqs(self, connection_id: ConnectionId) -> list[int]:
        """Return the seqs of the events sent to a connection, in order."""
        return [event["seq"] for to, message in self.sent if to == connection_id for event in message["events"]]
