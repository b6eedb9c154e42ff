"""Stores WebSocket connections, the one-time tickets that open them, and their subscriptions to turns.

| item | key |
|---|---|
| ticket | ``TICKET#{digest} / TICKET`` |
| connection | ``CONN#{connection_id} / CONN`` |
| subscription | ``TURN#{turn_id} / SUB#{connection_id}`` |

Subscriptions to a turn and the turn's events are in one partition, so the table's stream delivers them in write order.
Every item has a ``ttl``: DynamoDB deletes the item after this time if Satchel has not deleted it.
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
_ATTRIBUTES = {"sent", "mark", "failures"}  # fields of a subscription that are stored outside ``doc``


def _ttl(moment: datetime) -> int:
    return math.ceil(moment.timestamp())


@dataclass(frozen=True)
class DynamoTickets:
    """Store the one-time tickets that open WebSocket connections. Implements ``ports.connections.Tickets``."""

    table: Table

    def add(self, digest: str, ticket: Ticket) -> None:
        item: Item = {"pk": f"TICKET#{digest}", "sk": "TICKET", "doc": ticket.model_dump_json()}
        self.table.put(item | {"ttl": _ttl(ticket.expires_at)}, if_absent=True)

    def pop(self, digest: str) -> Ticket | None:
        """Delete a ticket and return it, even if it has expired. Return None if it does not exist."""
        item = self.table.pop(f"TICKET#{digest}", "TICKET")
        return Ticket.model_validate_json(str(item["doc"])) if item else None


@dataclass(frozen=True)
class DynamoConnections:
    """Store WebSocket connections in the table. Implements ``ports.connections.Connections``."""

    table: Table

    def add(self, connection: Connection) -> None:
        item: Item = {"pk": f"CONN#{connection.connection_id}", "sk": "CONN", "doc": connection.model_dump_json()}
        self.table.put(item | {"ttl": _ttl(connection.expires_at)})

    def get(self, connection_id: ConnectionId) -> Connection | None:
        return self.table.get_doc(f"CONN#{connection_id}", "CONN", Connection)

    def remove(self, connection_id: ConnectionId) -> None:
        self.table.delete(f"CONN#{connection_id}", "CONN")


def _subscription_key(turn_id: TurnId, connection_id: ConnectionId) -> tuple[str, str]:
    return f"TURN#{turn_id}", f"{PREFIX}{connection_id}"


@dataclass(frozen=True)
class DynamoSubscriptions:
    """Store which turns each WebSocket connection subscribes to. Implements ``ports.connections.Subscriptions``.

    Each subscription has a unique ``mark``. An update fails if the stored ``mark`` differs, so an update for an old
    subscription never changes a newer subscription of the same connection.
    """

    table: Table

    def add(self, subscription: Subscription) -> None:
        """Store a subscription, replacing the connection's previous subscription to this turn.

        Delete the old item first: the function that reads the table's stream must see the new subscription, but the
        stream's filter passes only new items, not overwritten items.
        """
        pk, sk = _subscription_key(subscription.turn_id, subscription.connection_id)
        self.table.delete(pk, sk)
        item: Item = {"pk": pk, "sk": sk, "ttl": _ttl(subscription.expires_at)}
        self.table.put(
            item
            | {"sent": subscription.sent, "mark": subscription.mark, "failures": subscription.failures}
            | {"doc": subscription.model_dump_json(exclude=_ATTRIBUTES)}
        )

    def list_for_turn(self, turn_id: TurnId, limit: int) -> Sequence[Subscription]:
        """Return up to ``limit`` subscriptions to a turn. Malformed items are skipped."""
        items, _ = self.table.query(Query(f"TURN#{turn_id}", PREFIX, limit))
        return [subscription for item in items if (subscription := _subscription(turn_id, item))]

    def advance(self, subscription: Subscription, sent: int) -> bool:
        try:
            self._set(
                subscription,
                "SET sent = :sent, failures = :failures",
                {"sent": sent, "failures": 0},
                condition="mark = :mark AND sent <= :sent",
            )
        except ConditionFailed:
            return False
        return True

    def save_failures(self, subscription: Subscription, failures: int) -> None:
        with suppress(ConditionFailed):
            self._set(subscription, "SET failures = :failures", {"failures": failures})

    def remove_if_unchanged(self, subscription: Subscription) -> None:
        key = _subscription_key(subscription.turn_id, subscription.connection_id)
        with suppress(ConditionFailed):
            self.table.delete_if(*key, "mark", subscription.mark)

    def remove(self, turn_id: TurnId, connection_id: ConnectionId) -> None:
        self.table.delete(*_subscription_key(turn_id, connection_id))

    def _set(
        self, subscription: Subscription, expression: str, values: Mapping[str, int], condition: str = "mark = :mark"
    ) -> None:
        self.table.update(
            *_subscription_key(subscription.turn_id, subscription.connection_id),
            expression=expression,
            condition=condition,
            values={**values, "mark": subscription.mark},
        )


def _subscription(turn_id: TurnId, item: Item) -> Subscription | None:
    """Return the subscription that an item stores, or None if the item is malformed.

    Runners, which execute tools, may write to this partition, so its items are not trusted: the ids of the turn and
    the connection come from the item's key, not from its content.
    """
    attributes = {name: item[name] for name in _ATTRIBUTES if name in item}
    ids = {"turn_id": turn_id, "connection_id": str(item["sk"]).removeprefix(PREFIX)}
    try:
        return Subscription.model_validate({**json.loads(str(item.get("doc"))), **attributes, **ids})
    except (ValueError, TypeError):
        logger.warning("skipped a malformed subscription", extra={"turn_id": turn_id})
        return None
