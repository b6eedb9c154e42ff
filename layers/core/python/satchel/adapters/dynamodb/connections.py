"""Tickets: ``TICKET#{digest} / TICKET``; connections: ``CONN#{id} / CONN``; who follows: ``TURN#{tid} / SUB#{id}``.

A subscription lies among the events of its turn, so that the stream tells of both in the order of their writing. All of
them have a ``ttl``, by which the table clears away what nobody removed.
"""

import json
import logging
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.connections import Connection, Subscription, Ticket
from satchel.domain.ids import ConnectionId, TurnId

logger = logging.getLogger(__name__)

PREFIX = "SUB#"
_BESIDE = {"sent", "mark", "failures"}


def _ttl(moment: datetime) -> int:
    return math.ceil(moment.timestamp())


@dataclass(frozen=True)
class DynamoTickets:
    """Implements ``ports.sockets.Tickets``."""

    table: Table

    def keep(self, digest: str, ticket: Ticket) -> None:
        """Write a new ticket."""
        item: Item = {"pk": f"TICKET#{digest}", "sk": "TICKET", "doc": ticket.model_dump_json()}
        self.table.put(item | {"ttl": _ttl(ticket.expires_at)}, absent=True)

    def take(self, digest: str) -> Ticket | None:
        """Return a ticket and remove it, expired or not."""
        item = self.table.take(f"TICKET#{digest}", "TICKET")
        return Ticket.model_validate_json(str(item["doc"])) if item else None


@dataclass(frozen=True)
class DynamoConnections:
    """Implements ``ports.sockets.Connections``."""

    table: Table

    def add(self, connection: Connection) -> None:
        """Write a connection."""
        item: Item = {"pk": f"CONN#{connection.connection_id}", "sk": "CONN", "doc": connection.model_dump_json()}
        self.table.put(item | {"ttl": _ttl(connection.expires_at)})

    def get(self, connection_id: ConnectionId) -> Connection | None:
        """Return a connection."""
        item = self.table.get(f"CONN#{connection_id}", "CONN")
        return Connection.model_validate_json(str(item["doc"])) if item else None

    def remove(self, connection_id: ConnectionId) -> None:
        """Forget a connection."""
        self.table.delete(f"CONN#{connection_id}", "CONN")


def _key(turn_id: TurnId, connection_id: ConnectionId) -> tuple[str, str]:
    return f"TURN#{turn_id}", f"{PREFIX}{connection_id}"


@dataclass(frozen=True)
class DynamoSubscriptions:
    """Implements ``ports.sockets.Subscriptions``."""

    table: Table

    def add(self, subscription: Subscription) -> None:
        """Write it anew: what the stream is asked for are items that appear, never the moving of their cursors."""
        pk, sk = _key(subscription.turn_id, subscription.connection_id)
        self.table.delete(pk, sk)
        item: Item = {"pk": pk, "sk": sk, "ttl": _ttl(subscription.expires_at)}
        self.table.put(
            item
            | {"sent": subscription.sent, "mark": subscription.mark, "failures": subscription.failures}
            | {"doc": subscription.model_dump_json(exclude=_BESIDE)}
        )

    def of_turn(self, turn_id: TurnId, limit: int) -> Sequence[Subscription]:
        """Return those that can be read."""
        items, _ = self.table.query(Query(f"TURN#{turn_id}", PREFIX, limit))
        return [found for item in items if (found := _subscription(turn_id, item))]

    def advance(self, subscription: Subscription, sent: int) -> bool:
        """Move its cursor, while it is the same one."""
        try:
            self._set(subscription, "SET sent = :sent, failures = :failures", {"sent": sent, "failures": 0})
        except ConditionFailed:
            return False
        return True

    def failed(self, subscription: Subscription, failures: int) -> None:
        """Count failures, while it is the same one."""
        with suppress(ConditionFailed):
            self._set(subscription, "SET failures = :failures", {"failures": failures})

    def _set(self, subscription: Subscription, expression: str, values: Mapping[str, int]) -> None:
        self.table.update(
            *_key(subscription.turn_id, subscription.connection_id),
            expression=expression,
            condition="mark = :mark",
            values={**values, "mark": subscription.mark},
            names={},
        )

    def drop(self, subscription: Subscription) -> None:
        """Remove it, while it is the same one."""
        with suppress(ConditionFailed):
            self.table.delete_if(*_key(subscription.turn_id, subscription.connection_id), "mark", subscription.mark)

    def remove(self, turn_id: TurnId, connection_id: ConnectionId) -> None:
        """Remove what a connection has for a turn."""
        self.table.delete(*_key(turn_id, connection_id))


def _subscription(turn_id: TurnId, item: Item) -> Subscription | None:
    """A runner may write here, so its key alone says whose an item is, and one may be anything."""
    beside = {name: item[name] for name in _BESIDE if name in item}
    of = {"turn_id": turn_id, "connection_id": str(item["sk"]).removeprefix(PREFIX)}
    try:
        return Subscription.model_validate({**json.loads(str(item.get("doc"))), **beside, **of})
    except (ValueError, TypeError):
        logger.warning("unreadable subscription", extra={"turn_id": turn_id})
        return None
