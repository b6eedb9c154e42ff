"""Delete what a session leaves behind (function end_session; again by the sweep, until nothing is left)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.files import FileFilter
from satchel.domain.sessions import Session
from satchel.ports.files import Files
from satchel.ports.sessions import SessionPurger, Sessions
from satchel.ports.system import Clock
from satchel.services.files.retention import RemoveFiles

GRACE = timedelta(minutes=16)
"""So long after its end a call that was under way may still hand over files, and a client may read how its turn ended.

A call's task is over after 15 minutes, whatever its runner does."""


@dataclass(frozen=True)
class CleanUpSession:
    """Temporary files go, and all of the session's where files do not outlive sessions (spec 3 §2.2, §8).

    It may be broken off anywhere and begun again. The first time it looks at the files alone; when the grace is over,
    again, and its events go as well.
    """

    sessions: Sessions
    files: Files
    purger: SessionPurger
    remove: RemoveFiles
    clock: Clock
    persist_files_across_sessions: bool
    files_at_once: int = 1000

    def __call__(self, session: Session, more_time: Callable[[], bool]) -> bool:
        """Clear a session that has ended; return whether nothing is left to do by now. ``more_time`` is asked often."""
        if session.ended_at is None:
            raise ValueError(f"the session {session.session_id} has not ended")
        if not self._clear_files(session, more_time):
            return False
        if self.clock.now() < session.ended_at + GRACE:
            self.sessions.schedule_cleanup(session, session.ended_at + GRACE)
            return True
        self.purger.forget_events(session.session_id)
        self.sessions.cleared(session)
        return True

    def _clear_files(self, session: Session, more_time: Callable[[], bool]) -> bool:
        """Look at every file of the session; one that got another version while it went is found the second time."""
        cursor, wanted = None, FileFilter(session_id=session.session_id)
        while more_time():
            page = self.files.list(session.user, self.files_at_once, cursor, wanted)
            going = [file for file in page.items if file.temporary or not self.persist_files_across_sessions]
            if going:
                self.remove(going)
            cursor = page.cursor
            if cursor is None:
                return True
        return False
