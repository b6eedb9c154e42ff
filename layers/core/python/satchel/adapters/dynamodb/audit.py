"""Stores audit entries: ``SESSION#{session_id} / AUDIT#{audit_id}``, deleted by DynamoDB after their ``ttl``."""

import math
from dataclasses import dataclass
from datetime import timedelta

from pydantic import TypeAdapter

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.items import Item, from_cursor, to_cursor
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.audit import AuditEntry
from satchel.domain.ids import SessionId
from satchel.ports import Page

PREFIX = "AUDIT#"
_ENTRY: TypeAdapter[AuditEntry] = TypeAdapter(AuditEntry)


@dataclass(frozen=True)
class DynamoAuditTrail:
    """Store audit entries for the time ``retention``. Implements ``ports.calls.AuditTrail``."""

    table: Table
    retention: timedelta

    def add(self, session_id: SessionId, entry: AuditEntry) -> bool:
        item: Item = {
            "pk": f"SESSION#{session_id}",
            "sk": f"{PREFIX}{entry.audit_id}",
            "doc": entry.model_dump_json(),
            "ttl": math.ceil((entry.at + self.retention).timestamp()),
        }
        try:
            self.table.put(item, if_absent=True)
        except ConditionFailed:
            return False
        return True

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        query = Query(f"SESSION#{session_id}", PREFIX, limit, from_cursor(cursor, PREFIX), newest_first=True)
        items, last = self.table.query(query)
        return Page(items=[_ENTRY.validate_json(str(item["doc"])) for item in items], cursor=to_cursor(last))
