"""Delete the files and events of an ended session (function end_session; the sweep continues interrupted cleanups)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.files import FileFilter
from satchel.domain.object_keys import turn_texts_prefix
from satchel.domain.servers import Registry
from satchel.domain.sessions import Session
from satchel.ports.files import Files
from satchel.ports.runners import Runners
from satchel.ports.sessions import ServerSessionRemover, SessionPurger, Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.services.files.retention import RemoveFiles

GRACE = timedelta(minutes=16)
"""Tool calls (at most 15 minutes) may store files, and clients may read events, this long after a session's end."""


@dataclass(frozen=True)
class EndServerSessions:
    """End the MCP sessions that the calls of a chat session have opened with remote servers."""

    registry: Registry
    runners: Runners
    sessions: ServerSessionRemover

    def __call__(self, session: Session) -> None:
        """Remove the MCP sessions of a chat session, and let the runner of the remote servers end them."""
        if remote := self.registry.remote:
            for server, opened in self.sessions.take(session.session_id, remote).items():
                self.runners.end_session(server, session.user, opened)


@dataclass(frozen=True)
class CleanUpSession:
    """Delete an ended session's temporary files, or all its files if they are not persisted (clause v2.1:persist:off).

    An interrupted cleanup can be repeated. The first run deletes files. A second run, after ``GRACE``, deletes files
    that were stored since the first run, and the session's events, or all records of a session that its user has
    deleted. Each run ends the MCP sessions with remote servers.
    """

    sessions: Sessions
    files: Files
    purger: SessionPurger
    remove: RemoveFiles
    store: FileStore
    clock: Clock
    end_server_sessions: EndServerSessions
    persist_files_across_sessions: bool
    files_at_once: int = 1000

    def __call__(self, session: Session, more_time: Callable[[], bool]) -> bool:
        """Clean up an ended session. Return False if ``more_time`` returned False before this run was complete."""
        if session.ended_at is None:
            raise ValueError(f"the session {session.session_id} has not ended")
        self.end_server_sessions(session)
        if not self._delete_files(session, more_time):
            return False
        if self.clock.now() < session.ended_at + GRACE:
            self.sessions.schedule_cleanup(session, session.ended_at + GRACE)
            return True
        if session.deleted:
            return self._delete_records(session, more_time)
        self.purger.delete_events(session.session_id)
        self.sessions.mark_cleaned_up(session)
        return True

    def _delete_records(self, session: Session, more_time: Callable[[], bool]) -> bool:
        """Delete the conversation. Return False if ``more_time`` ended the deletion early."""
        for turn_id in self.purger.delete_turns(session):
            for _ in self.store.delete_prefix(turn_texts_prefix(session.user, turn_id)):
                pass
            if not more_time():
                return False
        self.purger.delete_rest(session)
        self.sessions.mark_cleaned_up(session)
        return True

    def _delete_files(self, session: Session, more_time: Callable[[], bool]) -> bool:
        """Delete the session's files that must not persist. Return False if ``more_time`` ended the deletion early."""
        cursor, file_filter = None, FileFilter(session_id=session.session_id)
        while more_time():
            page = self.files.list(session.user, self.files_at_once, cursor, file_filter)
            deletable = [file for file in page.items if file.temporary or not self.persist_files_across_sessions]
            if deletable:
                self.remove(deletable)
            cursor = page.cursor
            if cursor is None:
                return True
        return False
