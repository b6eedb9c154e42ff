"""Stores audit entries as items ``SESSION#{session_id} / AUDIT#{audit_id}``. DynamoDB deletes them after ``ttl``."""

import math
from dataclasses import dataclass
from datetime import timedelta

from pydantic import TypeAdapter

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
        pk, sk = f"SESSION#{session_id}", f"{PREFIX}{entry.audit_id}"
        ttl = math.ceil((entry.at + self.retention).timestamp())
        return self.table.insert({"pk": pk, "sk": sk, "doc": entry.model_dump_json(), "ttl": ttl})

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        query = Query(f"SESSION#{session_id}", PREFIX, limit, newest_first=True)
        return self.table.list_page(query, cursor, lambda item: _ENTRY.validate_json(str(item["doc"])))
