"""Sessions in memory."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from satchel.domain.conversation import TokenUsage
from satchel.domain.errors import SessionEnded, SessionNotFound, TurnRunning
from satchel.domain.ids import SessionId, UserName
from satchel.domain.sessions import Session, SessionChanges, SessionStatus, Turn
from satchel.ports import Page
from tests.fakes.pages import page_of


class FakeSessions:
    """Implements ``ports.catalog.Sessions``; ``due`` is when ended ones are to be cleared.

    ``lock`` and ``free`` are what the table does in a turn's transactions.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Session] = {}
        self.due: dict[str, datetime] = {}

    def create(self, session: Session) -> None:
        key = (session.user, session.session_id)
        if key in self._kept:
            raise ValueError(f"there is a session {session.session_id}")
        self._kept[key] = session.model_copy()

    def get(self, user: UserName, session_id: SessionId) -> Session | None:
        session = self._kept.get((user, session_id))
        return session.model_copy() if session else None

    def some(self, user: UserName, session_ids: Collection[SessionId]) -> dict[str, Session]:
        return {each: session for each in session_ids if (session := self.get(user, each))}

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        mine = sorted(((s.session_id, s.model_copy()) for s in self._kept.values() if s.user == user), reverse=True)
        return page_of(mine, limit, cursor)

    def change(self, user: UserName, session_id: SessionId, changes: SessionChanges) -> Session:
        session = self._kept.get((user, session_id))
        if session is None:
            raise SessionNotFound(session_id)
        if session.status is SessionStatus.ENDED:
            raise SessionEnded(session_id)
        changed = session.model_copy(update=changes.model_dump(exclude_unset=True))
        self._kept[user, session_id] = changed
        return changed.model_copy()

    def end(self, user: UserName, session_id: SessionId, now: datetime, *, idle_since: datetime | None = None) -> None:
        session = self._kept.get((user, session_id))
        if session and idle_since and (session.running_turn or session.last_used_at > idle_since):
            return
        if session and session.status is SessionStatus.ACTIVE:
            session.status = SessionStatus.ENDED
            session.ended_at = now
            session.epoch += 1
            self.due[session_id] = now

    def idle(self, since: datetime, limit: int) -> Sequence[Session]:
        idle = [s for s in self._kept.values() if s.status is SessionStatus.ACTIVE and s.last_used_at <= since]
        return [s.model_copy() for s in sorted(idle, key=lambda s: s.last_used_at)][:limit]

    def due_for_cleanup(self, now: datetime, limit: int) -> Sequence[Session]:
        ended = [s for s in self._kept.values() if self.due.get(s.session_id, now) < now + timedelta.resolution]
        return [s.model_copy() for s in ended if s.session_id in self.due][:limit]

    def schedule_cleanup(self, session: Session, at: datetime) -> None:
        self.due[session.session_id] = at

    def cleared(self, session: Session) -> None:
        self.due.pop(session.session_id, None)

    def spent(self, turn: Turn, usage: TokenUsage) -> None:
        """Count what a turn took."""
        self._kept[turn.user, turn.session_id].usage += usage

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
