"""Sessions in memory.

Dashboards in memory.

Files that go and what remains of sessions, in memory; and a clearing that is done at once.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime, timedelta

from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.conversation import TokenUsage
from satchel.domain.errors import SessionEnded, SessionNotFound, TurnRunning
from satchel.domain.ids import CanvasId, SessionId, UserName
from satchel.domain.sessions import Session, SessionChanges, SessionStatus, Turn
from satchel.ports import Page
from satchel.ports.sessions import Sessions
from satchel.services.sessions.clean_up_session import CleanUpSession
from tests.fakes.pages import page_of


class FakeSessions:
    """Implements ``ports.catalog.Sessions``; ``due`` is when ended ones are to be cleared.

    ``lock`` and ``free`` are what the table does in a turn's transactions.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Session] = {}
        self.cleanup_times: dict[str, datetime] = {}

    def create(self, session: Session) -> None:
        key = (session.user, session.session_id)
        if key in self._kept:
            raise ValueError(f"there is a session {session.session_id}")
        self._kept[key] = session.model_copy()

    def get(self, user: UserName, session_id: SessionId) -> Session | None:
        session = self._kept.get((user, session_id))
        return session.model_copy() if session else None

    def get_many(self, user: UserName, session_ids: Collection[SessionId]) -> dict[str, Session]:
        return {each: session for each in session_ids if (session := self.get(user, each))}

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        mine = sorted(((s.session_id, s.model_copy()) for s in self._kept.values() if s.user == user), reverse=True)
        return page_of(mine, limit, cursor)

    def update(self, user: UserName, session_id: SessionId, changes: SessionChanges) -> Session:
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
            self.cleanup_times[session_id] = now

    def list_idle(self, since: datetime, limit: int) -> Sequence[Session]:
        idle = [s for s in self._kept.values() if s.status is SessionStatus.ACTIVE and s.last_used_at <= since]
        return [s.model_copy() for s in sorted(idle, key=lambda s: s.last_used_at)][:limit]

    def list_due_for_cleanup(self, now: datetime, limit: int) -> Sequence[Session]:
        ended = [
            s for s in self._kept.values() if self.cleanup_times.get(s.session_id, now) < now + timedelta.resolution
        ]
        return [s.model_copy() for s in ended if s.session_id in self.cleanup_times][:limit]

    def schedule_cleanup(self, session: Session, at: datetime) -> None:
        self.cleanup_times[session.session_id] = at

    def mark_cleaned_up(self, session: Session) -> None:
        self.cleanup_times.pop(session.session_id, None)

    def add_usage(self, turn: Turn, usage: TokenUsage) -> None:
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

    def unlock(self, turn: Turn) -> None:
        """Take the session from a turn that has it."""
        session = self._kept[turn.user, turn.session_id]
        if session.running_turn == turn.turn_id:
            session.running_turn = None


class FakeDashboards:
    """Implements ``ports.dashboards.Dashboards``; keeps JSON, as the table does. ``logged`` is what was done."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str], str] = {}
        self._actions: list[str] = []

    def save(self, dashboard: Dashboard) -> None:
        key = (dashboard.user, dashboard.canvas_id, dashboard.session_id)
        self._kept[key] = dashboard.model_dump_json()

    def get(self, user: UserName, canvas_id: CanvasId, session_id: SessionId) -> Dashboard | None:
        text = self._kept.get((user, canvas_id, session_id))
        return Dashboard.model_validate_json(text) if text else None

    def list_by_id(self, user: UserName, canvas_id: CanvasId) -> Iterator[Dashboard]:
        mine = sorted((key for key in self._kept if key[:2] == (user, canvas_id)), reverse=True)
        yield from (Dashboard.model_validate_json(self._kept[key]) for key in mine)

    def add_action(self, action: CanvasAction) -> None:
        self._actions.append(action.model_dump_json())

    @property
    def actions(self) -> list[CanvasAction]:
        return [CanvasAction.model_validate_json(text) for text in self._actions]


class ImmediateCleanup:
    """Implements ``ports.going.CleanupStarter``: the session is cleared before ``start`` returns."""

    def __init__(self, sessions: Sessions, clear: Callable[[], CleanUpSession]) -> None:
        self._sessions = sessions
        self._clear = clear

    def start(self, user: UserName, session_id: SessionId) -> None:
        session = self._sessions.get(user, session_id)
        assert session is not None
        self._clear()(session, lambda: True)


class FakeCleanupStarter:
    """Implements ``ports.sessions.CleanupStarter``: records which sessions were to be cleaned up."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def start(self, user: UserName, session_id: SessionId) -> None:
        del user
        self.started.append(session_id)
