"""My Files: list them, and read one as the spec's processed artifact (spec 3 §6.2)."""

from dataclasses import dataclass

from satchel.domain.errors import FileNotFound, SessionNotFound
from satchel.domain.files import FileRecord, expired
from satchel.domain.identity import Identity
from satchel.ports.catalog import Files, Page, Sessions
from satchel.ports.clock import Clock
from satchel.ports.file_store import FileStore


@dataclass(frozen=True)
class ReadFiles:
    """A person's own files; somebody else's are not found, and expired ones are gone."""

    sessions: Sessions
    files: Files
    store: FileStore
    clock: Clock
    most_inline_bytes: int

    def __call__(self, who: Identity, file_key: str) -> FileRecord:
        """Return the record of a file. Raises FileNotFound."""
        record = self.files.get(who.name, file_key)
        if record is None or expired(record, self.clock.now()):
            raise FileNotFound(file_key)
        return record

    def content(self, record: FileRecord) -> bytes | None:
        """Return the bytes where they are few enough for JSON, else None. Raises FileNotFound if they are gone."""
        if record.size > self.most_inline_bytes:
            return None
        body = self.store.read(record.key, self.most_inline_bytes)
        if body is None:
            raise FileNotFound(record.file_key)
        return body

    def list(self, who: Identity, session_id: str | None, limit: int, cursor: str | None) -> Page[FileRecord]:
        """Return files, newest first: all of the person's, or one session's. Raises SessionNotFound."""
        if session_id is None:
            page = self.files.list(who.name, limit, cursor)
        elif self.sessions.get(who.name, session_id) is None:
            raise SessionNotFound(session_id)
        else:
            page = Page[FileRecord](items=list(self.files.of_session(who.name, session_id)))
        now = self.clock.now()
        return Page[FileRecord](items=[file for file in page.items if not expired(file, now)], cursor=page.cursor)
