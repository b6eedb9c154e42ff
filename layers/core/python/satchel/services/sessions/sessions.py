"""Start, read, change and end sessions, and read their audit trail."""

from collections.abc import Callable
from dataclasses import dataclass

from satchel.domain.audit import AuditEntry
from satchel.domain.errors import SessionEnded, SessionNotFound
from satchel.domain.ids import IdBody, SessionId, UserName, new_id_body
from satchel.domain.llm import ModelCatalog
from satchel.domain.sessions import NO_CHANGES, Session, SessionChanges, SessionStatus, Turn
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.calls import AuditTrail
from satchel.ports.sessions import CleanupStarter, SessionCheck, Sessions, accept_any
from satchel.ports.system import Clock
from satchel.ports.turns import Inputs, Turns
from satchel.ports.users import UserSettingsStore
from satchel.services.turns.read_turn import CancelTurn, find_open_inputs


@dataclass(frozen=True)
class StartSession:
    """Start a session with the settings of the request, and with the user's own instructions for all chats."""

    sessions: Sessions
    user_settings: UserSettingsStore
    models: ModelCatalog
    clock: Clock
    entropy: Callable[[int], bytes]
    max_open: int

    def __call__(
        self,
        who: Identity,
        settings: SessionChanges = NO_CHANGES,
        id_body: IdBody | None = None,
        *,
        temporary: bool = False,
    ) -> Session:
        """Store and return a new session, or return the one with this id. ``id_body`` None: a new id.

        Raise UnknownModel, TooManySessions or ErasureRunning.
        """
        if settings.model is not None:
            self.models.choose(who.groups, settings.model)
        now = self.clock.now()
        session = Session(
            session_id=f"s{id_body or new_id_body(now, self.entropy(10))}",
            user=who.name,
            user_instructions=self.user_settings.get(who.name).instructions,
            temporary=temporary,
            created_at=now,
            last_used_at=now,
            **settings.model_dump(),
        )
        return self.sessions.create(session, self.max_open)


@dataclass(frozen=True)
class ReadSessions:
    """Read a user's own sessions and turns. Another user's session raises the same error as a missing one."""

    sessions: Sessions
    turns: Turns
    inputs: Inputs
    clock: Clock

    def __call__(self, who: Identity, session_id: SessionId) -> Session:
        """Return the user's session with this id. Raise SessionNotFound."""
        session = self.sessions.get(who.name, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return self._with_wait(session)

    def list(self, who: Identity, limit: int, cursor: str | None) -> Page[Session]:
        """Return a page of the user's sessions, newest first. It is shorter than ``limit`` if some are temporary."""
        page = self.sessions.list(who.name, limit, cursor)
        listed = [self._with_wait(session) for session in page.items if not session.temporary]
        return Page(items=listed, cursor=page.cursor)

    def list_turns(self, session: Session, limit: int, cursor: str | None, *, newest_first: bool = False) -> Page[Turn]:
        """Return a page of the session's turns, oldest first unless ``newest_first``."""
        return self.turns.list(session.session_id, limit, cursor, newest_first=newest_first)

    def _with_wait(self, session: Session) -> Session:
        """Add whether the running turn waits for the user. Sessions without a running turn cost no request."""
        turn_id = session.running_turn
        waits = turn_id is not None and bool(find_open_inputs(self.inputs, self.clock, turn_id))
        return session.model_copy(update={"waits_for_user": waits})


@dataclass(frozen=True)
class ChangeSession:
    """Change the settings of a session, effective from its next turn: title, model, instructions, place in the list."""

    sessions: Sessions
    models: ModelCatalog

    def __call__(
        self, who: Identity, session_id: SessionId, changes: SessionChanges, check: SessionCheck = accept_any
    ) -> Session:
        """Apply the fields set in ``changes``, unless ``check`` raises an error for the session as it is now.

        Raise UnknownModel, SessionNotFound, SessionEnded or Unavailable.
        """
        if changes.model is not None:
            self.models.choose(who.groups, changes.model)
        return self.sessions.update(who.name, session_id, changes, check)


@dataclass(frozen=True)
class EndSession:
    """End a session: revoke its links, cancel its running turn, and start its cleanup in the background.

    The end of a temporary session deletes it for good.
    """

    read: ReadSessions
    sessions: Sessions
    cancel: CancelTurn
    cleanup: CleanupStarter
    clock: Clock

    def __call__(self, who: Identity, session_id: SessionId) -> None:
        """End the session, then cancel its turn, so that no new turn starts. Can be repeated. Raise SessionNotFound."""
        if self.end_now(who, session_id).temporary:
            self.sessions.delete(who.name, session_id)
        self.cleanup.start(who.name, session_id)

    def end_now(self, who: Identity, session_id: SessionId) -> Session:
        """End the session, cancel its turn, and return it. The caller starts the cleanup."""
        if self.read(who, session_id).status is SessionStatus.ACTIVE:
            self.sessions.end(who.name, session_id, self.clock.now())
        session = self.read(who, session_id)
        if session.running_turn:
            self.cancel(who, session_id, session.running_turn)
        return session


@dataclass(frozen=True)
class DeleteConversation:
    """Delete a conversation for good: end its session, hide it from every reader, and delete its records.

    Files that outlive the end of a session stay in the user's files (clause v2.1:persist:on).
    """

    end: EndSession
    sessions: Sessions
    cleanup: CleanupStarter

    def __call__(self, who: Identity, session_id: SessionId) -> None:
        """Delete the conversation. Raise SessionNotFound."""
        self.end.end_now(who, session_id)
        self.sessions.delete(who.name, session_id)
        self.cleanup.start(who.name, session_id)


@dataclass(frozen=True)
class ReadAudit:
    """Read the audit trail of a user's own sessions."""

    sessions: ReadSessions
    trail: AuditTrail

    def __call__(self, who: Identity, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        """Return a page of the session's audit entries, newest first. Raise SessionNotFound or InvalidRequest."""
        session = self.sessions(who, session_id)
        return self.trail.list(session.session_id, limit, cursor)


def ensure_session_open(sessions: Sessions, user: UserName, session_id: SessionId | None) -> None:
    """Raise SessionNotFound or SessionEnded if the session is missing or ended. Do nothing if the id is None."""
    if session_id is None:
        return
    session = sessions.get(user, session_id)
    if session is None:
        raise SessionNotFound(session_id)
    if session.status is SessionStatus.ENDED:
        raise SessionEnded(session_id)
