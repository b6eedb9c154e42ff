"""In-memory sessions and dashboards, and two starters of the session cleanup."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime, timedelta

from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.conversation import TokenUsage
from satchel.domain.errors import ErasureRunning, SessionEnded, SessionNotFound, TooManySessions, TurnRunning
from satchel.domain.ids import CanvasId, SessionId, UserName
from satchel.domain.sessions import MAX_TEMPORARY_AGE, Session, SessionChanges, SessionStatus, Turn
from satchel.ports import Page
from satchel.ports.sessions import SessionCheck, Sessions, accept_any
from satchel.services.sessions.clean_up_session import CleanUpSession
from tests.fakes.pages import page_of


class FakeSessions:
    """Implements ``ports.sessions.Sessions``. ``cleanup_times`` are the due times of cleanups by session.

    ``lock``, ``unlock`` and ``add_usage`` are the parts of a turn's transactions that change the session.
    """

    def __init__(self) -> None:
        self._sessions: dict[tuple[str, str], Session] = {}
        self._deleted: dict[tuple[str, str], Session] = {}
        self.cleanup_times: dict[str, datetime] = {}
        self.refusing: set[SessionId] = set()

    def create(self, session: Session, max_open: int | None = None) -> Session:
        key = (session.user, session.session_id)
        if key not in self._sessions:
            if max_open is not None and self.count_open(session.user) >= max_open:
                raise TooManySessions(max_open)
            self._sessions[key] = session.model_copy()
        return self._sessions[key].model_copy()

    def count_open(self, user: UserName) -> int:
        """Return the number of the user's open sessions."""
        return sum(s.user == user and s.status is SessionStatus.ACTIVE for s in self._sessions.values())

    def get(self, user: UserName, session_id: SessionId) -> Session | None:
        session = self._sessions.get((user, session_id))
        return session.model_copy() if session else None

    def get_many(self, user: UserName, session_ids: Collection[SessionId]) -> dict[str, Session]:
        return {i: session for i in session_ids if (session := self.get(user, i))}

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        sessions = sorted(
            ((s.session_id, s.model_copy()) for s in self._sessions.values() if s.user == user), reverse=True
        )
        return page_of(sessions, limit, cursor)

    def update(
        self, user: UserName, session_id: SessionId, changes: SessionChanges, check: SessionCheck = accept_any
    ) -> Session:
        session = self._sessions.get((user, session_id))
        if session is None:
            raise SessionNotFound(session_id)
        if session.status is SessionStatus.ENDED:
            raise SessionEnded(session_id)
        check(session)
        changed = session.model_copy(update=changes.model_dump(exclude_unset=True))
        self._sessions[user, session_id] = changed
        return changed.model_copy()

    def end(self, user: UserName, session_id: SessionId, now: datetime, *, idle_since: datetime | None = None) -> None:
        session = self._sessions.get((user, session_id))
        if session and idle_since and (session.running_turn or session.last_used_at > idle_since):
            return
        if session and session.status is SessionStatus.ACTIVE:
            session.status = SessionStatus.ENDED
            session.ended_at = now
            session.epoch += 1
            self.cleanup_times[session_id] = now

    def refuse_turns(self, user: UserName, session_id: SessionId) -> None:
        if (user, session_id) in self._sessions:
            self.refusing.add(session_id)

    def delete(self, user: UserName, session_id: SessionId) -> None:
        session = self._sessions.pop((user, session_id), None)
        if session is None or session.status is not SessionStatus.ENDED or session.ended_at is None:
            raise SessionNotFound(session_id)
        self._deleted[user, session_id] = session.model_copy(
            update={"deleted": True, "title": None, "instructions": None, "running_turn": None}
        )
        self.cleanup_times[session_id] = session.ended_at

    def get_ended(self, user: UserName, session_id: SessionId) -> Session | None:
        session = self._deleted.get((user, session_id))
        return session.model_copy() if session else self.get(user, session_id)

    def list_deleted(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        return page_of(
            [(s.session_id, s.model_copy()) for s in self._deleted.values() if s.user == user], limit, cursor
        )

    def list_idle(self, since: datetime, limit: int) -> Sequence[Session]:
        idle = [s for s in self._sessions.values() if s.status is SessionStatus.ACTIVE and s.last_used_at <= since]
        return [s.model_copy() for s in sorted(idle, key=lambda s: s.last_used_at)][:limit]

    def list_old_temporary(self, now: datetime, limit: int) -> Sequence[Session]:
        temporary = [s for s in self._sessions.values() if s.temporary and s.created_at + MAX_TEMPORARY_AGE <= now]
        return [s.model_copy() for s in temporary][:limit]

    def list_running(self, since: datetime) -> Iterator[Session]:
        running = [s for s in self._sessions.values() if s.status is SessionStatus.ACTIVE and s.running_turn]
        yield from (s.model_copy() for s in running if s.last_used_at <= since)

    def list_due_for_cleanup(self, now: datetime, limit: int) -> Sequence[Session]:
        sessions = [*self._sessions.values(), *self._deleted.values()]
        due = [s for s in sessions if self.cleanup_times.get(s.session_id, now) < now + timedelta.resolution]
        return [s.model_copy() for s in due if s.session_id in self.cleanup_times][:limit]

    def schedule_cleanup(self, session: Session, at: datetime) -> None:
        self.cleanup_times[session.session_id] = at

    def mark_cleaned_up(self, session: Session) -> None:
        self.cleanup_times.pop(session.session_id, None)
        self._deleted.pop((session.user, session.session_id), None)

    def add_usage(self, turn: Turn, usage: TokenUsage) -> None:
        """Add the tokens of a turn."""
        self._sessions[turn.user, turn.session_id].usage += usage

    def check_active(self, turn: Turn) -> Session:
        """Return the session of a turn. Raise SessionNotFound or SessionEnded."""
        session = self._sessions.get((turn.user, turn.session_id))
        if session is None:
            raise SessionNotFound(turn.session_id)
        if session.status is SessionStatus.ENDED:
            raise SessionEnded(turn.session_id)
        return session

    def lock(self, turn: Turn) -> None:
        """Lock the session for a turn. Raise SessionNotFound, SessionEnded, TurnRunning or ErasureRunning."""
        session = self.check_active(turn)
        if turn.session_id in self.refusing:
            raise ErasureRunning
        if session.running_turn:
            raise TurnRunning(session.running_turn)
        session.running_turn = turn.turn_id
        session.last_used_at = turn.created_at

    def unlock(self, turn: Turn) -> None:
        """Unlock the session if the turn has locked it."""
        session = self._sessions.get((turn.user, turn.session_id))
        if session and session.running_turn == turn.turn_id:
            session.running_turn = None


class FakeDashboards:
    """Implements ``ports.sessions.Dashboards``. Stores JSON, as the table does."""

    def __init__(self) -> None:
        self._dashboards: dict[tuple[str, str, str], str] = {}
        self._actions: list[str] = []

    def save(self, dashboard: Dashboard) -> None:
        key = (dashboard.user, dashboard.canvas_id, dashboard.session_id)
        self._dashboards[key] = dashboard.model_dump_json()

    def get(self, user: UserName, canvas_id: CanvasId, session_id: SessionId) -> Dashboard | None:
        text = self._dashboards.get((user, canvas_id, session_id))
        return Dashboard.model_validate_json(text) if text else None

    def list_by_id(self, user: UserName, canvas_id: CanvasId) -> Iterator[Dashboard]:
        keys = sorted((key for key in self._dashboards if key[:2] == (user, canvas_id)), reverse=True)
        yield from (Dashboard.model_validate_json(self._dashboards[key]) for key in keys)

    def add_action(self, action: CanvasAction) -> None:
        self._actions.append(action.model_dump_json())

    def get_action(self, session_id: SessionId, canvas_id: CanvasId, action_id: str) -> CanvasAction | None:
        key = (session_id, canvas_id, action_id)
        return next((each for each in self.actions if (each.session_id, each.canvas_id, each.action_id) == key), None)

    @property
    def actions(self) -> list[CanvasAction]:
        return [CanvasAction.model_validate_json(text) for text in self._actions]


class ImmediateCleanup:
    """Implements ``ports.sessions.CleanupStarter``. The cleanup is complete when ``start`` returns."""

    def __init__(self, sessions: Sessions, clean_up: Callable[[], CleanUpSession]) -> None:
        self._sessions = sessions
        self._clean_up = clean_up

    def start(self, user: UserName, session_id: SessionId) -> None:
        session = self._sessions.get_ended(user, session_id)
        assert session is not None
        self._clean_up()(session, lambda: True)


class FakeCleanupStarter:
    """Implements ``ports.sessions.CleanupStarter``. Records the sessions without a cleanup."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def start(self, user: UserName, session_id: SessionId) -> None:
        del user
        self.started.append(session_id)
