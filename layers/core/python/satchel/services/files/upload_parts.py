"""Upload a file of any size in parts. The client sends each part directly to S3, to a presigned URL."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.errors import (
    ErasureRunning,
    InvalidRequest,
    QuotaExceeded,
    TooManyUploads,
    UploadIncomplete,
    UploadNotFound,
    UploadOverLimit,
)
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey, IdBody, SessionId, UploadId, UserName, new_id_body
from satchel.domain.metrics import UPLOADED_BYTES
from satchel.domain.quotas import UserActivity
from satchel.domain.uploads import (
    PART_URL_SECONDS,
    UPLOAD_LIFETIME,
    Part,
    SignedPart,
    StoredPart,
    Upload,
    new_uploaded_file,
    part_bytes_for,
)
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.files import Files, Uploads
from satchel.ports.sessions import Sessions
from satchel.ports.storage import FileStore, PartStore
from satchel.ports.system import Clock, Metrics
from satchel.services.files.artifact_records import add_metadata_from_store
from satchel.services.files.storage_quota import StorageQuota
from satchel.services.sessions.sessions import ensure_session_open

_PARTS_A_PAGE = 1000
_UPLOADS_A_PAGE = 100


@dataclass(frozen=True)
class BeginUpload:
    """Start an upload in parts. The file is listed only after the upload is complete."""

    sessions: Sessions
    uploads: Uploads
    parts: PartStore
    clock: Clock
    entropy: Callable[[int], bytes]
    max_bytes: int
    abort: "AbortUpload"
    storage: StorageQuota
    max_uploads: int

    def __call__(
        self,
        who: Identity,
        raw_name: str,
        size: int,
        mime: str | None,
        session_id: SessionId | None,
        app: str | None = None,
        id_body: IdBody | None = None,
    ) -> Upload:
        """Start an upload of ``size`` bytes and return it. ``app`` is the tool whose app creates the file.

        If an upload with this ``id_body`` has been started already, return that one.

        Raise UploadOverLimit, TooManyUploads, StorageFull, SessionNotFound, SessionEnded or ErasureRunning.
        """
        if size > self.max_bytes:
            raise UploadOverLimit(size, self.max_bytes)
        if id_body and (started := self.uploads.get(who.name, UploadId(FileKey(f"f{id_body}")))):
            return started
        ensure_session_open(self.sessions, who.name, session_id)
        now = self.clock.now()
        id_body = id_body or new_id_body(now, self.entropy(10))
        new = new_uploaded_file(who.name, session_id, raw_name, mime, size, now, id_body)
        upload = Upload(
            file=new.model_copy(update={"app": app}),
            store_id=self.parts.begin(new.key, new.mime),
            part_bytes=part_bytes_for(size),
            expires_at=now + UPLOAD_LIFETIME,
        )
        try:
            self._add(upload)
        except (QuotaExceeded, ErasureRunning):
            self.parts.abort(upload)
            raise
        return upload

    def _add(self, upload: Upload) -> None:
        """Add the upload. If a quota is used up, abort expired uploads of the user, which do not count, and retry."""

        def check(uploads: UserActivity) -> None:
            if uploads.uploads >= self.max_uploads:
                raise TooManyUploads(self.max_uploads, uploads.uploads)
            self.storage.check_upload(upload.file.user, upload.file.size, uploads)

        try:
            self.uploads.add(upload, check)
        except QuotaExceeded:
            if not self._abort_expired(upload.file.user):
                raise
            self.uploads.add(upload, check)

    def _abort_expired(self, user: UserName) -> int:
        """Abort the user's expired uploads, which the sweep has not aborted yet, and return their number."""
        now, count = self.clock.now(), 0
        page = self.uploads.list(user, _UPLOADS_A_PAGE, None)
        while True:
            for upload in page.items:
                if upload.expires_at <= now:
                    with suppress(UploadNotFound):  # the sweep aborted it
                        self.abort(user, upload.upload_id)
                    count += 1
            if page.cursor is None:
                return count
            page = self.uploads.list(user, _UPLOADS_A_PAGE, page.cursor)


@dataclass(frozen=True)
class ReadUploads:
    """Read a user's own unfinished uploads. An expired upload raises the same error as a missing one."""

    uploads: Uploads
    parts: PartStore
    clock: Clock

    def __call__(self, who: Identity, upload_id: UploadId) -> Upload:
        """Return the user's unfinished upload with this id. Raise UploadNotFound."""
        upload = self.find(who, upload_id)
        if upload is None:
            raise UploadNotFound(upload_id)
        return upload

    def find(self, who: Identity, upload_id: UploadId) -> Upload | None:
        """Return the user's unfinished upload with this id, or None."""
        upload = self.uploads.get(who.name, upload_id)
        return None if upload is None or self._is_over(upload) else upload

    def list(self, who: Identity, limit: int, cursor: str | None) -> Page[Upload]:
        """Return a page of the user's unfinished uploads, newest first."""
        page = self.uploads.list(who.name, limit, cursor)
        return Page(items=[upload for upload in page.items if not self._is_over(upload)], cursor=page.cursor)

    def stored(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        """Return a page of the parts that S3 has already received, ordered by number."""
        return self.parts.list_parts(upload, limit, cursor)

    def _is_over(self, upload: Upload) -> bool:
        return upload.expires_at <= self.clock.now()


@dataclass(frozen=True)
class SignParts:
    """Create presigned URLs for the parts of an upload. The URLs expire; the client can request new ones."""

    parts: PartStore
    clock: Clock

    def __call__(self, upload: Upload, parts: Sequence[Part]) -> list[SignedPart]:
        """Return a presigned URL for each part. Raise InvalidRequest if a part number is out of range."""
        until = self.clock.now() + timedelta(seconds=PART_URL_SECONDS)
        signed = []
        for part in parts:
            if not 1 <= part.number <= upload.part_count:
                raise InvalidRequest(f"The upload has {upload.part_count} parts.", number=part.number)
            url, headers = self.parts.presign_part(upload, part, PART_URL_SECONDS)
            offset, size = upload.offset_of(part.number), upload.size_of(part.number)
            signed.append(
                SignedPart(number=part.number, offset=offset, size=size, url=url, headers=headers, expires_at=until)
            )
        return signed


@dataclass(frozen=True)
class AbortUpload:
    """Abort an upload: remove its record, then its bytes. Of concurrent callers, only the first deletes the bytes."""

    uploads: Uploads
    parts: PartStore
    store: FileStore

    def __call__(self, user: UserName, upload_id: UploadId) -> None:
        """Abort the upload and delete its stored parts. Raise UploadNotFound if the upload is missing or complete."""
        upload = self.uploads.pop(user, upload_id)
        if upload is None:
            raise UploadNotFound(upload_id)
        self.parts.abort(upload)
        self.store.delete([upload.file.key])  # a concurrent completion may have created this S3 object


@dataclass(frozen=True)
class CompleteUpload:
    """Complete an upload: join the parts, then save the file record, so that every listed file can be downloaded."""

    read: ReadUploads
    sessions: Sessions
    files: Files
    store: FileStore
    abort: AbortUpload
    max_bytes: int
    metrics: Metrics

    def __call__(self, who: Identity, upload_id: UploadId) -> FileRecord:
        """Join the parts into a file and return the file's record. A repeated call returns the same record.

        Raise UploadNotFound, UploadIncomplete (missing parts), UploadOverLimit, SessionNotFound, SessionEnded or
        ErasureRunning.
        """
        upload = self.read.find(who, upload_id)  # read it before the file: completion replaces the upload with a file
        if done := self.files.get_by_object(who.name, upload_id):
            return done
        if upload is None:
            raise UploadNotFound(upload_id)
        ensure_session_open(self.sessions, who.name, upload.file.session_id)
        self._check(upload, self._join(upload))
        try:
            record = self.files.save_upload(add_metadata_from_store(self.store, upload.file))
        except UploadNotFound:  # another request aborted the upload
            self.store.delete([upload.file.key])
            raise
        except FileNotFoundError as error:  # another request aborted the upload and deleted its bytes
            raise UploadNotFound(upload_id) from error
        self.metrics.add(UPLOADED_BYTES, record.size)
        return record

    def _join(self, upload: Upload) -> int | None:
        """Join the parts into an S3 object unless it exists. Return its size, or None if the parts are gone."""
        found = self.store.head(upload.file.key)
        if found is None:
            stored = self._stored(upload)
            missing = _missing(upload, stored)
            if not missing:
                self.read.parts.complete(upload, stored)
            found = self.store.head(upload.file.key)
            if found is None and missing:
                raise UploadIncomplete(missing, upload.part_count)
        return found.size if found else None

    def _stored(self, upload: Upload) -> list[StoredPart]:
        page = self.read.stored(upload, _PARTS_A_PAGE, None)
        stored = page.items
        while page.cursor:
            page = self.read.stored(upload, _PARTS_A_PAGE, page.cursor)
            stored += page.items
        return stored

    def _check(self, upload: Upload, size: int | None) -> None:
        if size == upload.file.size <= self.max_bytes:
            return
        self.abort(upload.file.user, upload.upload_id)
        if size is not None and size > self.max_bytes:
            raise UploadOverLimit(size, self.max_bytes)
        raise UploadNotFound(upload.upload_id)


def _missing(upload: Upload, stored: Sequence[StoredPart]) -> list[int]:
    complete = {part.number for part in stored if part.size == upload.size_of(part.number)}
    return [number for number in range(1, upload.part_count + 1) if number not in complete]


@dataclass(frozen=True)
class SweepUploads:
    """Abort expired uploads. If this fails, a lifecycle rule of the bucket deletes the parts a day later."""

    uploads: Uploads
    abort: AbortUpload
    clock: Clock

    def __call__(self, limit: int) -> int:
        """Abort at most ``limit`` expired uploads and return how many were due."""
        due = self.uploads.list_expired(self.clock.now(), limit)
        for upload in due:
            try:
                self.abort(upload.file.user, upload.upload_id)
            except UploadNotFound:  # another request aborted or completed the upload
                continue
        return len(due)
