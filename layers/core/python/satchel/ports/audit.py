"""What is written down of calls and downloads."""

from typing import Protocol

from satchel.domain.audit import AuditEntry
from satchel.ports.catalog import Page


class AuditTrail(Protocol):
    """Entries of a session; they are kept for a while and never changed."""

    def keep(self, session_id: str, entry: AuditEntry) -> bool:
        """Write an entry; False where it was written before."""
        ...

    def list(self, session_id: str, limit: int, cursor: str | None) -> Page[AuditEntry]:
        """Return entries, newest first. Raises InvalidRequest for a cursor that is none."""
        ...
