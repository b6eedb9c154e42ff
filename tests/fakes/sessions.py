"""Sessions in memory."""

from satchel.domain.errors import SessionEnded, SessionNotFound, TurnRunning
from satchel.domain.sessions import Session, SessionStatus, Turn
from satchel.ports.catalog import Page
from tests.fakes.pages import page_of


class FakeSessions:
    """Implements ``ports.catalog.Sessions``. ``lock`` and ``free`` are what the table does in a turn's transactions."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Session] = {}

    def create(self, session: Session) -> None:
        key = (session.user, session.session_id)
        if key in self._kept:
            raise ValueError(f"there is a session {session.session_id}")
        self._kept[key] = session.model_copy()

    def get(self, user: str, session_id: str) -> Session | None:
        session = self._kept.get((user, session_id))
        return session.model_copy() if session else None

    def list(self, user: str, limit: int, cursor: str | None) -> Page[Session]:
        mine = sorted(((s.session_id, s.model_copy()) for s in self._kept.values() if s.user == user), reverse=True)
        return page_of(mine, limit, cursor)

    def end(self, user: str, session_id: str) -> None:
        session = self._kept.get((user, session_id))
        if session and session.status is SessionStatus.ACTIVE:
            session.status = SessionStatus.ENDED
            session.epoch += 1

    def lock(self, turn: Turn) -> None:
        """Give the session to a turn. Raises SessionNotFound, SessionEnded, TurnRunning."""
        session = self._kept.get((turn.user, turn.session_id))
        if session is None:
            raise SessionNotFound(turn.session_id)
        if session.status is SessionStatus.ENDED:
            raise SessionEnded(turn.session_id)
        if session.running_turn:
            raise TurnRunning(session.running_turn)
        session.running_turn = turn.turn_id
        session.last_used_at = turn.created_at

    def free(self, turn: Turn) -> None:
        """Take the session from a turn that has it."""
        session = self._kept[turn.user, turn.session_id]
        if session.running_turn == turn.turn_id:
            session.running_turn = None
