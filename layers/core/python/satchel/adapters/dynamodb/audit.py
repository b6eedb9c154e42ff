"""Stores audit entries as items ``SESSION#{session_id} / AUDIT#{audit_id}``. DynamoDB deletes them after ``ttl``."""

import math
from dataclasses import dataclass
from datetime import timedelta

from pydantic import ConfigDict, TypeAdapter

from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.audit import AuditEntry
from satchel.domain.ids import SessionId
from satchel.ports import Page

PREFIX = "AUDIT#"
_ENTRY: TypeAdapter[AuditEntry] = TypeAdapter(AuditEntry, config=ConfigDict(defer_build=True))


def audit_item(session_id: SessionId, entry: AuditEntry, retention: timedelta) -> Item:
    """Return the item of an audit entry, which DynamoDB deletes after ``retention``."""
    ttl = math.ceil((entry.at + retention).timestamp())
    pk, sk = f"SESSION#{session_id}", f"{PREFIX}{entry.audit_id}"
    return {"pk": pk, "sk": sk, "doc": entry.model_dump_json(), "ttl": ttl}


@dataclass(frozen=True)
class DynamoAuditTrail:
    """Store audit entries for the time ``retention``. Implements ``ports.calls.AuditTrail``."""

    table: Table
    retention: timedelta

    def add(self, session_id: SessionId, entry: AuditEntry) -> bool:
        return self.table.insert(audit_item(session_id, entry, self.retention))

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        query = Query(f"SESSION#{session_id}", PREFIX, limit, newest_first=True)
        return self.table.list_page(query, cursor, lambda item: _ENTRY.validate_json(str(item["doc"])))
