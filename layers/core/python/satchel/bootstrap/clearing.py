"""What deletes what a session leaves behind, for the functions that do."""

from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.files.remove_files import RemoveFiles
from satchel.services.sessions.clear_session import ClearSession
from satchel.settings import SessionSettings


def remove_files() -> RemoveFiles:
    """Return the use case, wired."""
    kept = storage()
    return RemoveFiles(kept.going, kept.store)


def clear_session() -> ClearSession:
    """Return the use case, wired."""
    kept = storage()
    persist = SessionSettings().persist_files_across_sessions
    return ClearSession(kept.sessions, kept.files, kept.remains, remove_files(), CLOCK, persist)
