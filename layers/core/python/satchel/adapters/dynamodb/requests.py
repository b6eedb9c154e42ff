"""Stores idempotency keys as items ``USER#{user} / ONCE#{digest of operation and key}``, with ``ttl``.

``asked`` is the digest of the request, ``resource`` the id of what it created. Until there is one, the request has the
key until ``lease``.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.table import Table
from satchel.ports.requests import EarlierRequest, KeyedRequest

KEY_LIFETIME = timedelta(days=1)
_LEASE = timedelta(minutes=1)  # an API request takes 30 seconds at most
_CAN_BE_CLAIMED = "attribute_not_exists(pk) OR #ttl < :now OR (attribute_not_exists(#resource) AND #lease < :now)"


def _item_key(request: KeyedRequest) -> tuple[str, str]:
    return f"USER#{request.user}", f"ONCE#{request.key}"


@dataclass(frozen=True)
class DynamoRequestKeys:
    """Store idempotency keys in the table. Implements ``ports.requests.RequestKeys``."""

    table: Table

    def claim(self, request: KeyedRequest, now: datetime) -> EarlierRequest | None:
        try:
            self.table.update(
                *_item_key(request),
                expression="SET asked = :asked, #lease = :lease, #ttl = :ttl REMOVE #resource",
                condition=_CAN_BE_CLAIMED,
                values={
                    "asked": request.content,
                    "now": int(now.timestamp()),
                    "lease": int((now + _LEASE).timestamp()),
                    "ttl": int((now + KEY_LIFETIME).timestamp()),
                },
                names={"#lease": "lease", "#ttl": "ttl", "#resource": "resource"},
            )
        except ConditionFailed:
            item = self.table.get(*_item_key(request)) or {}
            resource = item.get("resource")
            return EarlierRequest(str(item.get("asked", request.content)), None if resource is None else str(resource))
        return None

    def finish(self, request: KeyedRequest, resource: str) -> None:
        with suppress(ConditionFailed):  # all data of the user is being deleted
            self.table.update(
                *_item_key(request),
                expression="SET #resource = :resource",
                condition="attribute_exists(pk)",
                values={"resource": resource},
                names={"#resource": "resource"},
            )

    def release(self, request: KeyedRequest) -> None:
        self.table.delete(*_item_key(request))
