"""Start, list, read and end sessions."""

from collections.abc import Callable
from dataclasses import dataclass

from satchel.domain.errors import SessionNotFound
from satchel.domain.identity import Identity
from satchel.domain.ids import new_id
from satchel.domain.models import Models
from satchel.domain.sessions import NOTHING_SAID, Session, SessionChanges, SessionStatus, Turn
from satchel.ports.catalog import Page, Sessions, Turns
from satchel.ports.clock import Clock
from satchel.ports.going import Clearing
from satchel.services.turns.cancel_turn import CancelTurn


@dataclass(frozen=True)
class StartSession:
    """Begin a conversation."""

    sessions: Sessions
    models: Models
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, who: Identity, said: SessionChanges = NOTHING_SAID) -> Session:
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
    kept_turns: Turns

    def __call__(self, who: Identity, session_id: str) -> Session:
        """Return one. Raises SessionNotFound."""
        session = self.sessions.get(who.name, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return session

    def list(self, who: Identity, limit: int, cursor: str | None) -> Page[Session]:
        """Return them, newest first."""
        return self.sessions.list(who.name, limit, cursor)

    def turns(self, session: Session, limit: int, cursor: str | None) -> Page[Turn]:
        """Return the turns of a session that was read, oldest first."""
        return self.kept_turns.list(session.session_id, limit, cursor)


@dataclass(frozen=True)
class ChangeSession:
    """Another title, model or behaviour: from the next turn on."""

    sessions: Sessions
    models: Models

    def __call__(self, who: Identity, session_id: str, changes: SessionChanges) -> Session:
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
    clearing: Clearing
    clock: Clock

    def __call__(self, who: Identity, session_id: str) -> None:
        """End the session; again, it only finishes what was left. Raises SessionNotFound.

        It ends before its turn is cancelled: no other turn can begin in between.
        """
        if self.read(who, session_id).status is SessionStatus.ACTIVE:
            self.sessions.end(who.name, session_id, self.clock.now())
        session = self.read(who, session_id)
        if session.running_turn:
            self.cancel(who, session_id, session.running_turn)
        self.clearing.start(who.name, session_id)
