"""Connections in memory: tickets, who is connected, who follows what, and what was sent."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from satchel.domain.connections import Connection, Subscription, Ticket
from satchel.domain.ids import ConnectionId, TurnId
from satchel.ports.connections import ConnectionGone, Undelivered


class FakeTickets:
    """Implements ``ports.sockets.Tickets``."""

    def __init__(self) -> None:
        self.kept: dict[str, Ticket] = {}

    def keep(self, digest: str, ticket: Ticket) -> None:
        self.kept[digest] = ticket

    def take(self, digest: str) -> Ticket | None:
        return self.kept.pop(digest, None)


class FakeConnections:
    """Implements ``ports.sockets.Connections``."""

    def __init__(self) -> None:
        self.kept: dict[str, Connection] = {}

    def add(self, connection: Connection) -> None:
        self.kept[connection.connection_id] = connection

    def get(self, connection_id: ConnectionId) -> Connection | None:
        return self.kept.get(connection_id)

    def remove(self, connection_id: ConnectionId) -> None:
        self.kept.pop(connection_id, None)


class FakeSubscriptions:
    """Implements ``ports.sockets.Subscriptions``."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Subscription] = {}

    def add(self, subscription: Subscription) -> None:
        self._kept[_key(subscription)] = subscription

    def of_turn(self, turn_id: TurnId, limit: int) -> Sequence[Subscription]:
        return [kept for (turn, _), kept in sorted(self._kept.items()) if turn == turn_id][:limit]

    def advance(self, subscription: Subscription, sent: int) -> bool:
        return self._change(subscription, sent=sent, failures=0)

    def failed(self, subscription: Subscription, failures: int) -> None:
        self._change(subscription, failures=failures)

    def drop(self, subscription: Subscription) -> None:
        if self._is_same(subscription):
            del self._kept[_key(subscription)]

    def remove(self, turn_id: TurnId, connection_id: ConnectionId) -> None:
        self._kept.pop((turn_id, connection_id), None)

    def _change(self, subscription: Subscription, **changed: int) -> bool:
        if not self._is_same(subscription):
            return False
        self._kept[_key(subscription)] = self._kept[_key(subscription)].model_copy(update=changed)
        return True

    def _is_same(self, subscription: Subscription) -> bool:
        kept = self._kept.get(_key(subscription))
        return kept is not None and kept.mark == subscription.mark


def _key(subscription: Subscription) -> tuple[str, str]:
    return subscription.turn_id, subscription.connection_id


class FakeConnectionSender:
    """Implements ``ports.sockets.ConnectionSender``: nobody is at the end of ``gone``, and ``stuck`` take nothing."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.closed: list[str] = []
        self.gone: set[str] = set()
        self.stuck: set[str] = set()
        self.on_post: Callable[[], None] = lambda: None

    def post(self, connection_id: ConnectionId, text: str) -> None:
        if connection_id in self.gone:
            raise ConnectionGone
        if connection_id in self.stuck:
            raise Undelivered("LimitExceededException")
        self.sent.append((connection_id, json.loads(text)))
        self.on_post()

    def close(self, connection_id: ConnectionId) -> None:
        self.closed.append(connection_id)

    def seqs(self, connection_id: ConnectionId) -> list[int]:
        """Return the numbers of the events that a connection was sent, in order."""
        return [event["seq"] for to, message in self.sent if to == connection_id for event in message["events"]]
