"""Whether files may come into a session."""

from satchel.domain.errors import SessionEnded, SessionNotFound
from satchel.domain.sessions import SessionStatus
from satchel.ports.catalog import Sessions


def require_open(sessions: Sessions, user: str, session_id: str | None) -> None:
    """Return where the session takes files, or none is named. Raises SessionNotFound, SessionEnded."""
    if session_id is None:
        return
    session = sessions.get(user, session_id)
    if session is None:
        raise SessionNotFound(session_id)
    if session.status is SessionStatus.ENDED:
        raise SessionEnded(session_id)
