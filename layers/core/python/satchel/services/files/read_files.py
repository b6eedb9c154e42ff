"""Read and list a user's files, and find a file by its key or name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from satchel.contract import safe_name
from satchel.domain.errors import FileNotFound, SessionNotFound
from satchel.domain.files import FileFilter, FileRecord, Usage, is_expired
from satchel.domain.ids import ID_BODY, FileKey, SessionId, UserName
from satchel.domain.prompt import sanitize
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock

_MARKS_OF_CHANGED_NAMES = {"(", "…"}  # the model sees "[" in a name as "(", and a shortened name ends with "…"
_MAX_COMPARED = 100
_FILE_KEY = re.compile(rf"f{ID_BODY}")


@dataclass(frozen=True)
class ReadFiles:
    """Read a user's own files. Another user's file or an expired file raises the same error as a missing one."""

    sessions: Sessions
    files: Files
    store: FileStore
    clock: Clock
    max_inline_bytes: int

    def __call__(self, who: Identity, file_key: FileKey, version: int | None = None) -> FileRecord:
        """Return a version of the user's file, by default the newest. Raise FileNotFound."""
        if version is None:
            record = self.files.get(who.name, file_key)
        else:
            record = self.files.get_version(who.name, file_key, version)
        if record is None or is_expired(record, self.clock.now()):
            raise FileNotFound(file_key)
        return record

    def list_versions(self, who: Identity, file_key: FileKey, limit: int, cursor: str | None) -> Page[FileRecord]:
        """Return a page of the user's file's versions, newest first. Omit expired versions. Raise FileNotFound."""
        self(who, file_key)
        page = self.files.list_versions(who.name, file_key, limit, cursor)
        return self._without_expired(page)

    def content(self, record: FileRecord) -> bytes | None:
        """Return the file's bytes, or None if the file is too large for a JSON response. Raise FileNotFound."""
        if record.size > self.max_inline_bytes:
            return None
        body = self.store.read(record.key, self.max_inline_bytes)
        if body is None:
            raise FileNotFound(record.file_key)
        return body

    def list(self, who: Identity, file_filter: FileFilter, limit: int, cursor: str | None) -> Page[FileRecord]:
        """Return a page of matching files: newest first, or by name if a prefix is given. Raise SessionNotFound."""
        session_id = file_filter.session_id
        if session_id is not None and self.sessions.get(who.name, session_id) is None:
            raise SessionNotFound(session_id)
        return self._without_expired(self.files.list(who.name, limit, cursor, file_filter))

    def _without_expired(self, page: Page[FileRecord]) -> Page[FileRecord]:
        now = self.clock.now()
        return Page(items=[file for file in page.items if not is_expired(file, now)], cursor=page.cursor)

    def usage(self, who: Identity) -> Usage:
        """Return how much storage the user's files occupy. Expired files count until they are deleted."""
        return self.files.usage(who.name)


def find_file(
    files: Files,
    user: UserName,
    session_id: SessionId | None,
    name_or_key: str,
    now: datetime,
    *,
    across_sessions: bool = True,
) -> FileRecord | None:
    """Return the user's file with this key or name, or None if it does not exist or has expired.

    Search the session's files first. Also accept a name as the model sees it: shortened, or with replaced brackets.
    If ``across_sessions`` is False, a name does not find files of other sessions. A key always does.
    """
    if (record := _find_by_key(files, user, name_or_key)) and not is_expired(record, now):
        return record
    sessions = None if across_sessions else {session_id, None}
    matches = (r for r in _find_by_name(files, user, session_id, name_or_key) if not is_expired(r, now))
    return next((record for record in matches if sessions is None or record.session_id in sessions), None)


def _find_by_key(files: Files, user: UserName, name_or_key: str) -> FileRecord | None:
    return files.get(user, FileKey(name_or_key)) if _FILE_KEY.fullmatch(name_or_key) else None


def _find_by_name(files: Files, user: UserName, session_id: SessionId | None, name: str) -> Iterator[FileRecord]:
    if name and "/" not in name and "\\" not in name:
        yield from files.list_by_name(user, session_id, safe_name(name))
        if session_id and _MARKS_OF_CHANGED_NAMES & set(name):
            page = files.list(user, _MAX_COMPARED, None, FileFilter(session_id=session_id))
            yield from (file for file in page.items if sanitize(file.name) == name)
