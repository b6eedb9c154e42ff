"""My Files: list them, and read one as the spec's processed artifact (spec 3 §6.2).

Find a file by what people and models call it: its key, its name, or the name it came with.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from satchel.contract import safe_name
from satchel.domain.errors import FileNotFound, SessionNotFound
from satchel.domain.files import FileFilter, FileRecord, Usage, expired
from satchel.domain.ids import FileKey, SessionId, UserName
from satchel.domain.prompt import quoted
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock


@dataclass(frozen=True)
class ReadFiles:
    """A person's own files; somebody else's are not found, and expired ones are gone."""

    sessions: Sessions
    files: Files
    store: FileStore
    clock: Clock
    max_inline_bytes: int

    def __call__(self, who: Identity, file_key: FileKey) -> FileRecord:
        """Return the record of a file. Raises FileNotFound."""
        record = self.files.get(who.name, file_key)
        if record is None or expired(record, self.clock.now()):
            raise FileNotFound(file_key)
        return record

    def content(self, record: FileRecord) -> bytes | None:
        """Return the bytes where they are few enough for JSON, else None. Raises FileNotFound if they are gone."""
        if record.size > self.max_inline_bytes:
            return None
        body = self.store.read(record.key, self.max_inline_bytes)
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


_CHANGED = {"(", "…"}
_MAX_LOOKED_AT = 100
_FILE_KEY = re.compile(r"f[0-9a-hjkmnp-tv-z]{26}")


def find_file(
    files: Files, user: UserName, session_id: SessionId | None, wanted: str, now: datetime
) -> FileRecord | None:
    """Return the file that is meant, or None; an expired one is gone. A name is looked up in the session first.

    A name that the file context shows otherwise than it is (with other brackets, or cut) is known in that form, too.
    """
    found = (record for record in _meant(files, user, session_id, wanted) if not expired(record, now))
    return next(found, None)


def _meant(files: Files, user: UserName, session_id: SessionId | None, wanted: str) -> Iterator[FileRecord]:
    if _FILE_KEY.fullmatch(wanted) and (record := files.get(user, FileKey(wanted))):
        yield record
    if wanted and "/" not in wanted and "\\" not in wanted:
        yield from files.named(user, session_id, safe_name(wanted))
        if session_id and _CHANGED & set(wanted):
            page = files.list(user, _MAX_LOOKED_AT, None, FileFilter(session_id=session_id))
            yield from (file for file in page.items if quoted(file.name) == wanted)
