"""TODO.

What is kept about dashboards: whose they are, and what was done in them.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.ids import CanvasId, SessionId, UserName
from satchel.domain.sessions import Session, SessionChanges
from satchel.ports import Page


class Sessions(Protocol):
    """Sessions of a person."""

    def create(self, session: Session) -> None:
        """Write a new session."""
        ...

    def get(self, user: UserName, session_id: SessionId) -> Session | None:
        """Return a session of this person; None also for somebody else's."""
        ...

    def get_many(self, user: UserName, session_ids: Collection[SessionId]) -> dict[str, Session]:
        """Return those of these sessions that are this person's, by id, all read at once."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Session]:
        """Return sessions, newest first."""
        ...

    def update(self, user: UserName, session_id: SessionId, changes: SessionChanges) -> Session:
        """Change what is said of an open session and return it. Raises SessionNotFound, SessionEnded, Unavailable."""
        ...

    def end(self, user: UserName, session_id: SessionId, now: datetime, *, idle_since: datetime | None = None) -> None:
        """Mark a session ended and raise its epoch; a second time nothing changes. From now on it is to be cleared.

        With ``idle_since``, only while no turn runs and none has begun since then.
        """
        ...

    def list_idle(self, since: datetime, limit: int) -> Sequence[Session]:
        """Return open sessions of anybody that were not used since then, the longest idle first."""
        ...

    def list_due_for_cleanup(self, now: datetime, limit: int) -> Sequence[Session]:
        """Return ended sessions of anybody that are to be cleared by now, the oldest first."""
        ...

    def schedule_cleanup(self, session: Session, at: datetime) -> None:
        """Note that a session is to be cleared once more."""
        ...

    def mark_cleaned_up(self, session: Session) -> None:
        """Note that nothing is left to clear of a session."""
        ...


class SessionPurger(Protocol):
    """What is kept of a session's turns that nobody needs once it has ended."""

    def delete_events(self, session_id: SessionId) -> int:
        """Delete the events of its turns but each one's last, by which readers know its end; return how many."""
        ...


class CleanupStarter(Protocol):
    """Clears a session that has ended, elsewhere: nobody waits for it."""

    def start(self, user: UserName, session_id: SessionId) -> None:
        """Begin, or leave it to the sweep where that is not possible."""
        ...


class Dashboards(Protocol):
    """An id is a tool's own word: it means one dashboard of a person within a session, and nothing outside it."""

    def save(self, dashboard: Dashboard) -> None:
        """Write down that a dashboard was opened; opening it again replaces what is known of it."""
        ...

    def get(self, user: UserName, canvas_id: CanvasId, session_id: SessionId) -> Dashboard | None:
        """Return the dashboard of this id in a session of this person."""
        ...

    def list_by_id(self, user: UserName, canvas_id: CanvasId) -> Iterator[Dashboard]:
        """Give the dashboards of this id in all sessions of this person, newest session first."""
        ...

    def add_action(self, action: CanvasAction) -> None:
        """Write down what was done; never changed afterwards."""
        ...
