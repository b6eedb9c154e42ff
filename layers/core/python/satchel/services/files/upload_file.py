"""Upload a small file through the API. Larger files are uploaded in parts, directly to S3 (``upload_parts``)."""

import io
from collections.abc import Callable
from dataclasses import dataclass

from satchel.contract.binary_types import HEAD_BYTES, guess_mime
from satchel.contract.media_types import UNKNOWN
from satchel.domain.errors import ErasureRunning, TooLarge, Unavailable
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey, IdBody, SessionId, new_id_body
from satchel.domain.metrics import UPLOADED_BYTES
from satchel.domain.uploads import new_uploaded_file
from satchel.domain.users import Identity
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock, Metrics
from satchel.services.files.artifact_records import add_metadata_from_bytes
from satchel.services.files.storage_quota import StorageQuota
from satchel.services.sessions.sessions import ensure_session_open


@dataclass(frozen=True)
class UploadFile:
    """Upload a file. The bytes are stored before the record, so every listed file can be downloaded."""

    sessions: Sessions
    files: Files
    store: FileStore
    clock: Clock
    entropy: Callable[[int], bytes]
    max_bytes: int
    metrics: Metrics
    storage: StorageQuota

    def __call__(
        self,
        who: Identity,
        raw_name: str,
        body: bytes,
        mime: str | None,
        session_id: SessionId | None,
        app: str | None = None,
        id_body: IdBody | None = None,
    ) -> FileRecord:
        """Store the file and return its record. ``app`` is the tool whose app creates the file.

        If an upload with this ``id_body`` has stored its file already, return that one.

        Raise TooLarge, StorageFull, SessionNotFound, SessionEnded, ErasureRunning or Unavailable.
        """
        if len(body) > self.max_bytes:
            raise TooLarge(
                f"The file has {len(body)} bytes; this upload accepts at most {self.max_bytes}.",
                limit_bytes=self.max_bytes,
            )
        if id_body and (stored := self.files.get_by_object(who.name, FileKey(f"f{id_body}"))):
            return stored
        ensure_session_open(self.sessions, who.name, session_id)
        self.storage.check_upload(who.name, len(body))
        now = self.clock.now()
        id_body = id_body or new_id_body(now, self.entropy(10))
        new = new_uploaded_file(who.name, session_id, raw_name, mime, len(body), now, id_body)
        new = new.model_copy(update={"app": app})
        if new.mime == UNKNOWN and mime in {None, UNKNOWN}:
            new = new.model_copy(update={"mime": guess_mime(body[:HEAD_BYTES])})
        self.store.put(new.key, io.BytesIO(body), new.mime)
        try:
            record = self.files.save(add_metadata_from_bytes(new, body))
        except (Unavailable, ErasureRunning):  # without a record, the bytes would never be deleted
            self.store.delete([new.key])
            raise
        self.metrics.add(UPLOADED_BYTES, record.size)
        return record
