"""Files that go, many at a time, or that are to stay after all; and what remains of a session that has ended."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.files import FileRecord


class GoingFiles(Protocol):
    """The part of the catalog of files that ends them."""

    def due(self, until: datetime, limit: int) -> Sequence[FileRecord]:
        """Return files of anybody that had expired by then, the oldest first."""
        ...

    def versions(self, records: Sequence[FileRecord]) -> Sequence[FileRecord]:
        """Return all versions of these files."""
        ...

    def remove(self, records: Sequence[FileRecord]) -> int:
        """Remove files with all their versions and free their names; return how many went.

        One that somebody changed in between stays as it is now; one that is gone already is none.
        """
        ...

    def promote(self, record: FileRecord, *, while_open: bool) -> FileRecord:
        """Write a file as one that stays (``domain.files.promoted``), if its session is open where that matters.

        Raises FileNotFound where it was changed or removed in between, SessionEnded.
        """
        ...


class SessionRemains(Protocol):
    """What is kept of a session's turns that nobody needs once it has ended."""

    def forget_events(self, session_id: str) -> int:
        """Delete the events of its turns but each one's last, by which readers know its end; return how many."""
        ...


class Clearing(Protocol):
    """Clears a session that has ended, elsewhere: nobody waits for it."""

    def start(self, user: str, session_id: str) -> None:
        """Begin, or leave it to the sweep where that is not possible."""
        ...
