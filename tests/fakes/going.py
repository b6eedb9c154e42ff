"""Files that go and what remains of sessions, in memory; and a clearing that is done at once."""

from collections.abc import Callable, Sequence
from datetime import datetime

from satchel.domain.errors import FileNotFound, SessionEnded
from satchel.domain.files import FileRecord, expired, promoted
from satchel.domain.ids import SessionId, UserName
from satchel.domain.sessions import SessionStatus
from satchel.ports.sessions import Sessions
from satchel.services.sessions.clean_up_session import CleanUpSession
from tests.fakes.events import FakeEvents
from tests.fakes.files import FakeFiles
from tests.fakes.sessions import FakeSessions
from tests.fakes.turns import FakeTurns


class FakeFileReaper:
    """Implements ``ports.going.FileReaper`` over the fake catalog."""

    def __init__(self, files: FakeFiles, sessions: FakeSessions) -> None:
        self._files = files
        self._sessions = sessions

    def due(self, until: datetime, limit: int) -> Sequence[FileRecord]:
        due = [file for file in self._files.everybodys() if expired(file, until)]
        return sorted(due, key=lambda file: file.expires_at or 0)[:limit]

    def versions(self, records: Sequence[FileRecord]) -> Sequence[FileRecord]:
        found = [self._files.version(r.user, r.file_key, v) for r in records for v in range(1, r.version + 1)]
        return [version for version in found if version]

    def remove(self, records: Sequence[FileRecord]) -> int:
        there = [record for record in records if self._files.get(record.user, record.file_key) == record]
        for record in there:
            self._files.remove(record)
        return len(there)

    def promote(self, record: FileRecord, *, while_open: bool) -> FileRecord:
        if self._files.get(record.user, record.file_key) != record:
            raise FileNotFound(record.file_key)
        session = self._sessions.get(record.user, record.session_id) if record.session_id else None
        if while_open and session and session.status is SessionStatus.ENDED:
            raise SessionEnded(session.session_id)
        return self._files.write(promoted(record))


class FakeSessionPurger:
    """Implements ``ports.going.SessionPurger``."""

    def __init__(self, turns: FakeTurns, events: FakeEvents) -> None:
        self._turns = turns
        self._events = events

    def forget_events(self, session_id: SessionId) -> int:
        turns = self._turns.list(session_id, 10_000, None).items
        return sum(self._events.forget(turn.turn_id) for turn in turns)


class ImmediateCleanup:
    """Implements ``ports.going.CleanupStarter``: the session is cleared before ``start`` returns."""

    def __init__(self, sessions: Sessions, clear: Callable[[], CleanUpSession]) -> None:
        self._sessions = sessions
        self._clear = clear

    def start(self, user: UserName, session_id: SessionId) -> None:
        session = self._sessions.get(user, session_id)
        assert session is not None
        self._clear()(session, lambda: True)


class FakeCleanupStarter:
    """Implements ``ports.sessions.CleanupStarter``: records which sessions were to be cleaned up."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def start(self, user: UserName, session_id: SessionId) -> None:
        del user
        self.started.append(session_id)
