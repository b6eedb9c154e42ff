"""Storage of sessions and dashboards, and the cleanup of ended sessions."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.ids import CanvasId, SessionId, TurnId, UserName
from satchel.domain.sessions import Session, SessionChanges
from satchel.ports import Page
from satchel.ports.tool_client import ServerSession

SessionCheck = Callable[[Session], None]
"""A function that raises an error if the session may not be changed."""


def accept_any(session: Session) -> None:
    """Accept any session."""
    del session


class Sessions(Protocol):
    """Stores sessions (a session is a conversation of one user)."""

    def create(self, session: Session, max_open: int | None = None) -> Session:
        """Add a new session and return it. If a session with its id exists, change nothing and return that one.

        Raise TooManySessions if its user has ``max_open`` open sessions (None: no limit).
        """
        ...

    def get(self, user: UserName, session_id: SessionId) -> Session | None:
        """Return the user's session, or None if it does not exist or belongs to another user."""
        ...

    def get_many(self, user: UserName, session_ids: Collection[SessionId]) -> dict[str, Session]:
        """Read the user's sessions with these ids at once. Return the existing sessions, by id."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        """Return the user's sessions, newest first."""
        ...

    def update(
        self, user: UserName, session_id: SessionId, changes: SessionChanges, check: SessionCheck = accept_any
    ) -> Session:
        """Change fields of an open session, unless ``check`` raises an error for the session. Return the session.

        The session does not change between the check and the change. Raise SessionNotFound, SessionEnded or
        Unavailable.
        """
        ...

    def end(self, user: UserName, session_id: SessionId, now: datetime, *, idle_since: datetime | None = None) -> None:
        """End an open session: increment its ``epoch``, so that its links stop working, and make its cleanup due.

        If ``idle_since`` is given, end the session only if no turn is running or has started since that time.
        """
        ...

    def refuse_turns(self, user: UserName, session_id: SessionId) -> None:
        """Start no more turns in the session, which an erasure deletes. Do nothing if it does not exist."""
        ...

    def delete(self, user: UserName, session_id: SessionId) -> None:
        """Remove an ended session from every list and read. Its cleanup becomes due. Raise SessionNotFound."""
        ...

    def get_ended(self, user: UserName, session_id: SessionId) -> Session | None:
        """Return the user's session for its cleanup, also if the user has deleted it. Return None if it is gone."""
        ...

    def list_deleted(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        """Return the user's deleted sessions whose cleanup is not complete."""
        ...

    def list_idle(self, since: datetime, limit: int) -> Sequence[Session]:
        """Return open sessions of all users that have been idle since the time ``since``, the longest idle first."""
        ...

    def list_old_temporary(self, now: datetime, limit: int) -> Sequence[Session]:
        """Return temporary sessions of all users that have reached ``MAX_TEMPORARY_AGE``, the oldest first."""
        ...

    def list_running(self, since: datetime) -> Iterator[Session]:
        """Yield open sessions of all users whose running turn started at the time ``since`` or before."""
        ...

    def list_due_for_cleanup(self, now: datetime, limit: int) -> Sequence[Session]:
        """Return ended sessions of all users that are due for cleanup, the oldest first."""
        ...

    def schedule_cleanup(self, session: Session, at: datetime) -> None:
        """Make a session due for another cleanup at the time ``at``."""
        ...

    def mark_cleaned_up(self, session: Session) -> None:
        """Record that the cleanup of a session is complete. Nothing is left of a deleted session."""
        ...


class TurnWords(NamedTuple):
    """The words of a turn's message and answer, sorted and separated by spaces."""

    session_id: SessionId
    turn_id: TurnId
    words: str


class ChatWords(Protocol):
    """Reads the words of ended turns, by which users search their conversations. ``Turns.end`` stores them."""

    def read(self, user: UserName, oldest: SessionId, newest: SessionId) -> Iterator[TurnWords]:
        """Yield the turns of the user's sessions from ``newest`` to ``oldest``, newest first."""
        ...


class SessionPurger(Protocol):
    """Deletes the events of ended sessions, and the records of deleted ones."""

    def delete_events(self, session_id: SessionId) -> int:
        """Delete and count the session's events, except the last event of each turn, which clients still read."""
        ...

    def delete_turns(self, session: Session) -> Iterator[TurnId]:
        """Delete the turns of a deleted session with their calls and events, and yield the id of each before its end.

        An interrupted deletion can be repeated: it yields the turns that are left.
        """
        ...

    def delete_rest(self, session: Session) -> None:
        """Delete all other records of a deleted session: messages, audit entries, dashboards, links and words."""
        ...


class ServerSessionRemover(Protocol):
    """Removes the MCP sessions that the calls of a chat session have opened with remote servers."""

    def get(self, session_id: SessionId, server: str) -> ServerSession | None:
        """Return the MCP session of a chat session with a server, or None."""
        ...

    def take(self, session_id: SessionId, servers: Collection[str]) -> Mapping[str, ServerSession]:
        """Remove and return the MCP sessions of an ended chat session with these servers, by server."""
        ...


class CleanupStarter(Protocol):
    """Starts the cleanup of an ended session in the background."""

    def start(self, user: UserName, session_id: SessionId) -> None:
        """Start the session's cleanup. Errors are ignored, because a periodic job starts due cleanups again."""
        ...


class Dashboards(Protocol):
    """Stores dashboards (web pages of tools). Tools choose the ids, so an id is unique only within a session."""

    def save(self, dashboard: Dashboard) -> None:
        """Save an opened dashboard. It replaces the session's previous dashboard with the same id."""
        ...

    def get(self, user: UserName, canvas_id: CanvasId, session_id: SessionId) -> Dashboard | None:
        """Return the dashboard with this id in the user's session, or None."""
        ...

    def list_by_id(self, user: UserName, canvas_id: CanvasId) -> Iterator[Dashboard]:
        """Yield the dashboards with this id in all sessions of the user, newest session first."""
        ...

    def add_action(self, action: CanvasAction) -> None:
        """Save an action that a user performed in a dashboard."""
        ...

    def get_action(self, session_id: SessionId, canvas_id: CanvasId, action_id: str) -> CanvasAction | None:
        """Return the action of the session's dashboard with this id, or None."""
        ...
