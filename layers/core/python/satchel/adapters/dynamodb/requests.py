"""Stores idempotency keys as items ``USER#{user} / ONCE#{digest of operation and key}``, with ``ttl``.

``asked`` is the digest of the request, ``id_body`` the id of what it creates without the first letter, and ``resource``
the id of what it has created. Until there is one, the request has the key until ``lease``.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.items import Values
from satchel.adapters.dynamodb.table import Table
from satchel.domain.ids import IdBody
from satchel.ports.requests import EarlierRequest, KeyedRequest

KEY_LIFETIME = timedelta(days=1)
_LEASE = timedelta(minutes=1)  # an API request takes 30 seconds at most
_IS_FREE = "attribute_not_exists(pk) OR #ttl < :now"
_IS_INTERRUPTED = "id_body = :earlier AND attribute_not_exists(#resource) AND #lease < :now"


def _item_key(request: KeyedRequest) -> tuple[str, str]:
    return f"USER#{request.user}", f"ONCE#{request.key}"


@dataclass(frozen=True)
class DynamoRequestKeys:
    """Store idempotency keys in the table. Implements ``ports.requests.RequestKeys``."""

    table: Table

    def claim(self, request: KeyedRequest, id_body: IdBody, now: datetime) -> IdBody | EarlierRequest:
        if self._store(request, id_body, now, _IS_FREE, {}):
            return id_body
        item = self.table.get(*_item_key(request))
        if item is None:  # just deleted: the client repeats the request
            return EarlierRequest(request.content)
        earlier = EarlierRequest(str(item["asked"]), str(item["resource"]) if "resource" in item else None)
        if earlier.resource is not None or int(item["lease"]) >= int(now.timestamp()):
            return earlier
        # A repetition uses the id of the interrupted request. A request with another content must not.
        earlier_id = IdBody(str(item["id_body"]))
        id_body = earlier_id if earlier.content == request.content else id_body
        claimed = self._store(request, id_body, now, _IS_INTERRUPTED, {"earlier": earlier_id})
        return id_body if claimed else earlier

    def _store(self, request: KeyedRequest, id_body: IdBody, now: datetime, condition: str, values: Values) -> bool:
        """Store the key, or return False if the condition is false."""
        try:
            self.table.update(
                *_item_key(request),
                expression="SET asked = :asked, id_body = :id, #lease = :lease, #ttl = :ttl REMOVE #resource",
                condition=condition,
                values={
                    **values,
                    "asked": request.content,
                    "id": id_body,
                    "now": int(now.timestamp()),
                    "lease": int((now + _LEASE).timestamp()),
                    "ttl": int((now + KEY_LIFETIME).timestamp()),
                },
                names={"#lease": "lease", "#ttl": "ttl", "#resource": "resource"},
            )
        except ConditionFailed:
            return False
        return True

    def finish(self, request: KeyedRequest, resource: str) -> None:
        self._change(request, "resource", resource)

    def release(self, request: KeyedRequest) -> None:
        self._change(request, "lease", 0)

    def _change(self, request: KeyedRequest, attribute: str, value: str | int) -> None:
        with suppress(ConditionFailed):  # all data of the user is being deleted
            self.table.update(
                *_item_key(request),
                expression="SET #attribute = :value",
                condition="attribute_exists(pk)",
                values={"value": value},
                names={"#attribute": attribute},
            )
