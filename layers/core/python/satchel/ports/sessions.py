"""Storage of sessions and dashboards, and the cleanup of ended sessions."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.ids import CanvasId, SessionId, UserName
from satchel.domain.sessions import Session, SessionChanges
from satchel.ports import Page


class Sessions(Protocol):
    """The sessions of users."""

    def create(self, session: Session) -> None:
        """Add a new session."""
        ...

    def get(self, user: UserName, session_id: SessionId) -> Session | None:
        """Return the user's session, or None if it does not exist or belongs to another user."""
        ...

    def get_many(self, user: UserName, session_ids: Collection[SessionId]) -> dict[str, Session]:
        """Return the user's sessions among these ids, by id, with one read."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        """Return the user's sessions, newest first."""
        ...

    def update(self, user: UserName, session_id: SessionId, changes: SessionChanges) -> Session:
        """Change fields of an open session and return it. Raise SessionNotFound, SessionEnded or Unavailable."""
        ...

    def end(self, user: UserName, session_id: SessionId, now: datetime, *, idle_since: datetime | None = None) -> None:
        """End an open session, increment its epoch, and make it due for cleanup.

        With ``idle_since``, end it only if no turn is running and none has started since then.
        """
        ...

    def list_idle(self, since: datetime, limit: int) -> Sequence[Session]:
        """Return open sessions of all users that were not used since then, the longest idle first."""
        ...

    def list_due_for_cleanup(self, now: datetime, limit: int) -> Sequence[Session]:
        """Return ended sessions of all users that are due for cleanup, the oldest first."""
        ...

    def schedule_cleanup(self, session: Session, at: datetime) -> None:
        """Make a session due for another cleanup at this time."""
        ...

    def mark_cleaned_up(self, session: Session) -> None:
        """Record that the cleanup of a session is complete."""
        ...


class SessionPurger(Protocol):
    """Deletes data of ended sessions."""

    def delete_events(self, session_id: SessionId) -> int:
        """Delete all events of its turns except final ones, which readers need. Return the number of deleted events."""
        ...


class CleanupStarter(Protocol):
    """Starts the cleanup of an ended session in the background."""

    def start(self, user: UserName, session_id: SessionId) -> None:
        """Start the cleanup. Errors are ignored, because the sweep repeats it."""
        ...


class Dashboards(Protocol):
    """Dashboards. Tools choose the ids, so an id is unique only within a session of a user."""

    def save(self, dashboard: Dashboard) -> None:
        """Save an opened dashboard. It replaces the previous one with the same id."""
        ...

    def get(self, user: UserName, canvas_id: CanvasId, session_id: SessionId) -> Dashboard | None:
        """Return the dashboard with this id in the user's session, or None."""
        ...

    def list_by_id(self, user: UserName, canvas_id: CanvasId) -> Iterator[Dashboard]:
        """Yield the dashboards with this id in all sessions of the user, newest session first."""
        ...

    def add_action(self, action: CanvasAction) -> None:
        """Add an action to the log."""
        ...
