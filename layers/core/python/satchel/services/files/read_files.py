"""My Files: list them, and read one as the spec's processed artifact (spec 3 §6.2)."""

from dataclasses import dataclass

from satchel.domain.errors import FileNotFound, SessionNotFound
from satchel.domain.files import FileRecord, expired
from satchel.domain.identity import Identity
from satchel.domain.my_files import FileFilter, Usage
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

    def list(self, who: Identity, wanted: FileFilter, limit: int, cursor: str | None) -> Page[FileRecord]:
        """Return those that are meant, newest first, or by name where a beginning of names is given.

        Raises SessionNotFound.
        """
        if wanted.session_id is not None and self.sessions.get(who.name, wanted.session_id) is None:
            raise SessionNotFound(wanted.session_id)
        page = self.files.list(who.name, limit, cursor, wanted)
        now = self.clock.now()
        return Page(items=[file for file in page.items if not expired(file, now)], cursor=page.cursor)

    def usage(self, who: Identity) -> Usage:
        """Return how much the person keeps; what has expired counts until it is swept."""
        return self.files.usage(who.name)
