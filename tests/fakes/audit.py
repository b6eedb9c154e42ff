"""The audit trail in memory."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from satchel.domain.audit import AuditEntry
from satchel.domain.ids import SessionId
from satchel.ports import Page
from tests.fakes.pages import page_of

_ENTRY: TypeAdapter[AuditEntry] = TypeAdapter(AuditEntry)


class FakeAuditTrail:
    """Implements ``ports.audit.AuditTrail``; keeps JSON, as the table does."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], str] = {}

    def keep(self, session_id: SessionId, entry: AuditEntry) -> bool:
        if (session_id, entry.audit_id) in self._kept:
            return False
        self._kept[session_id, entry.audit_id] = entry.model_dump_json()
        return True

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        return page_of([(entry.audit_id, entry) for entry in self.of(session_id)[::-1]], limit, cursor)

    def of(self, session_id: SessionId) -> Sequence[AuditEntry]:
        """Return all entries of a session, oldest first."""
        mine = sorted((audit_id, text) for (session, audit_id), text in self._kept.items() if session == session_id)
        return [_ENTRY.validate_json(text) for _, text in mine]
