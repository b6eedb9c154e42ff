"""Take a small file from a person (larger ones go straight to the store)."""

import io
from collections.abc import Callable
from dataclasses import dataclass

from satchel.contract import mime_of, safe_name, valid_mime
from satchel.domain.errors import SessionEnded, SessionNotFound, TooLarge
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.identity import Identity
from satchel.domain.ids import new_id
from satchel.domain.places import object_key
from satchel.domain.sessions import SessionStatus
from satchel.ports.catalog import Files, Sessions
from satchel.ports.clock import Clock
from satchel.ports.file_store import FileStore


@dataclass(frozen=True)
class UploadFile:
    """Bytes first, then the record: a file that is listed can be fetched."""

    sessions: Sessions
    files: Files
    store: FileStore
    clock: Clock
    entropy: Callable[[int], bytes]
    most_bytes: int

    def __call__(
        self, who: Identity, raw_name: str, body: bytes, mime: str | None, session_id: str | None
    ) -> FileRecord:
        """Store the bytes and return the record. Raises TooLarge, SessionNotFound, SessionEnded."""
        if len(body) > self.most_bytes:
            raise TooLarge(
                f"The file has {len(body)} bytes; this way in takes {self.most_bytes}.",
                limit_bytes=self.most_bytes,
            )
        self._check_session(who, session_id)
        now = self.clock.now()
        name = safe_name(raw_name)
        object_id = new_id("f", now, self.entropy(10))
        new = NewFile(
            object_id=object_id,
            key=object_key(who.name, "uploads", object_id, name),
            user=who.name,
            session_id=session_id,
            name=name,
            raw_name=raw_name,
            mime=valid_mime(mime) if mime else mime_of(name),
            size=len(body),
            source=Source.UPLOADED,
            origin=object_id,
            created_at=now,
        )
        self.store.put(new.key, io.BytesIO(body), new.mime)
        return self.files.keep(new)

    def _check_session(self, who: Identity, session_id: str | None) -> None:
        if session_id is None:
            return
        session = self.sessions.get(who.name, session_id)
        if session is None:
            raise SessionNotFound(session_id)
        if session.status is SessionStatus.ENDED:
            raise SessionEnded(session_id)
