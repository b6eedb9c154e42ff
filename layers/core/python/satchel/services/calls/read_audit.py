"""Read what was written down of a session: which tools were called, which files were fetched."""

from dataclasses import dataclass

from satchel.domain.audit import AuditEntry
from satchel.domain.identity import Identity
from satchel.ports.audit import AuditTrail
from satchel.ports.catalog import Page
from satchel.services.sessions.sessions import ReadSessions


@dataclass(frozen=True)
class ReadAudit:
    """A person's own sessions; somebody else's are not found."""

    sessions: ReadSessions
    trail: AuditTrail

    def __call__(self, who: Identity, session_id: str, limit: int, cursor: str | None) -> Page[AuditEntry]:
        """Return a page of a session's entries, newest first. Raises SessionNotFound, InvalidRequest."""
        session = self.sessions(who, session_id)
        return self.trail.list(session.session_id, limit, cursor)
