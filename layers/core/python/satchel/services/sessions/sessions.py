"""Start, list, read and end sessions.

Whether files may come into a session.
"""

from collections.abc import Callable
from dataclasses import dataclass

from satchel.domain.audit import AuditEntry
from satchel.domain.errors import SessionEnded, SessionNotFound
from satchel.domain.ids import SessionId, UserName, new_id
from satchel.domain.llm import Models
from satchel.domain.sessions import NO_CHANGES, Session, SessionChanges, SessionStatus, Turn
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.calls import AuditTrail
from satchel.ports.sessions import CleanupStarter, Sessions
from satchel.ports.system import Clock
from satchel.ports.turns import Turns
from satchel.services.turns.read_turn import CancelTurn


@dataclass(frozen=True)
class StartSession:
    """Begin a conversation."""

    sessions: Sessions
    models: Models
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, who: Identity, said: SessionChanges = NO_CHANGES) -> Session:
        """Write and return a new session. Raises UnknownModel."""
        if said.model is not None:
            self.models.choose(who.groups, said.model)
        now = self.clock.now()
        session_id = new_id("s", now, self.entropy(10))
        session = Session(session_id=session_id, user=who.name, created_at=now, last_used_at=now, **said.model_dump())
        self.sessions.create(session)
        return session


@dataclass(frozen=True)
class ReadSessions:
    """A person's own sessions; somebody else's are not found."""

    sessions: Sessions
    turns: Turns

    def __call__(self, who: Identity, session_id: SessionId) -> Session:
        """Return one. Raises SessionNotFound."""
        session = self.sessions.get(who.name, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return session

    def list(self, who: Identity, limit: int, cursor: str | None) -> Page[Session]:
        """Return them, newest first."""
        return self.sessions.list(who.name, limit, cursor)

    def list_turns(self, session: Session, limit: int, cursor: str | None) -> Page[Turn]:
        """Return the turns of a session that was read, oldest first."""
        return self.turns.list(session.session_id, limit, cursor)


@dataclass(frozen=True)
class ChangeSession:
    """Another title, model or behaviour: from the next turn on."""

    sessions: Sessions
    models: Models

    def __call__(self, who: Identity, session_id: SessionId, changes: SessionChanges) -> Session:
        """Change what is set. Raises UnknownModel, SessionNotFound, SessionEnded, Unavailable."""
        if changes.model is not None:
            self.models.choose(who.groups, changes.model)
        return self.sessions.change(who.name, session_id, changes)


@dataclass(frozen=True)
class EndSession:
    """Its links die and its turn is cancelled at once; what it leaves behind is cleared elsewhere."""

    read: ReadSessions
    sessions: Sessions
    cancel: CancelTurn
    cleanup: CleanupStarter
    clock: Clock

    def __call__(self, who: Identity, session_id: SessionId) -> None:
        """End the session; again, it only finishes what was left. Raises SessionNotFound.

        It ends before its turn is cancelled: no other turn can begin in between.
        """
        if self.read(who, session_id).status is SessionStatus.ACTIVE:
            self.sessions.end(who.name, session_id, self.clock.now())
        session = self.read(who, session_id)
        if session.running_turn:
            self.cancel(who, session_id, session.running_turn)
        self.cleanup.start(who.name, session_id)


def ensure_session_open(sessions: Sessions, user: UserName, session_id: SessionId | None) -> None:
    """Return where the session takes files, or none is named. Raises SessionNotFound, SessionEnded."""
    if session_id is None:
        return
    session = sessions.get(user, session_id)
    if session is None:
        raise SessionNotFound(session_id)
    if session.status is SessionStatus.ENDED:
        raise SessionEnded(session_id)


@dataclass(frozen=True)
class ReadAudit:
    """A person's own sessions; somebody else's are not found."""

    sessions: ReadSessions
    trail: AuditTrail

    def __call__(self, who: Identity, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        """Return a page of a session's entries, newest first. Raises SessionNotFound, InvalidRequest."""
        session = self.sessions(who, session_id)
        return self.trail.list(session.session_id, limit, cursor)
