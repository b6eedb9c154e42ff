"""In-memory file records and uploads."""

import itertools
from collections.abc import Iterator, Sequence
from datetime import datetime

from satchel.contract import numbered_name
from satchel.domain.errors import FileNotFound, SessionEnded, UploadNotFound
from satchel.domain.files import (
    FileFilter,
    FileRecord,
    NameClaim,
    NameResolution,
    NewFile,
    Usage,
    as_permanent,
    is_expired,
    resolve_name_conflict,
)
from satchel.domain.ids import FileKey, UploadId, UserName
from satchel.domain.quotas import UserActivity
from satchel.domain.sessions import SessionStatus
from satchel.domain.uploads import Upload
from satchel.ports import Page
from satchel.ports.files import ALL_FILES, FileCheck, UploadCheck, accept_any
from tests.fakes.pages import page_of
from tests.fakes.sessions import FakeSessions

_Namespace = tuple[str, str | None]


class FakeUploads:
    """Implements ``ports.files.Uploads``."""

    def __init__(self) -> None:
        self.stored: dict[tuple[str, str], Upload] = {}

    def add(self, upload: Upload, check: UploadCheck = accept_any) -> None:
        check(self.activity(upload.file.user))
        self.stored[upload.file.user, upload.upload_id] = upload

    def activity(self, user: UserName) -> UserActivity:
        sizes = [upload.file.size for (owner, _), upload in self.stored.items() if owner == user]
        return UserActivity(uploads=len(sizes), upload_bytes=sum(sizes))

    def get(self, user: UserName, upload_id: UploadId) -> Upload | None:
        return self.stored.get((user, upload_id))

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Upload]:
        uploads = sorted(((key, upload) for (owner, key), upload in self.stored.items() if owner == user), reverse=True)
        return page_of(uploads, limit, cursor)

    def pop(self, user: UserName, upload_id: UploadId) -> Upload | None:
        return self.stored.pop((user, upload_id), None)

    def list_expired(self, now: datetime, limit: int) -> Sequence[Upload]:
        expired = [upload for upload in self.stored.values() if upload.expires_at <= now]
        return sorted(expired, key=lambda upload: upload.expires_at)[:limit]


class FakeFiles:
    """Implements ``ports.files.Files``. Name conflicts follow the domain's rule (``resolve_name_conflict``)."""

    def __init__(self, uploads: FakeUploads | None = None) -> None:
        self._uploads = uploads or FakeUploads()
        self._newest: dict[tuple[str, str], FileRecord] = {}
        self._versions: dict[tuple[str, str, int], FileRecord] = {}
        self._views: dict[tuple[str, str], dict[str, int]] = {}
        self._claims: dict[tuple[_Namespace, str], NameClaim] = {}

    def save(self, new: NewFile) -> FileRecord:
        namespace = _namespace(new)
        for name in (numbered_name(new.name, count) for count in itertools.count(1)):
            claim = self._claims.get((namespace, name))
            if claim is None:
                return self.save_version(FileRecord(**new.model_dump() | {"name": name}, file_key=new.object_id))
            resolution = resolve_name_conflict(claim, new)
            if resolution is NameResolution.SAME_FILE:
                return self._versions[new.user, claim.file_key, claim.version]
            if resolution is NameResolution.NEW_VERSION:
                fields = {"name": name, "file_key": claim.file_key, "version": claim.version + 1}
                return self.save_version(FileRecord(**new.model_dump() | fields))
        raise AssertionError("the loop never ends by itself")

    def save_upload(self, new: NewFile) -> FileRecord:
        if existing := self.get_by_object(new.user, new.object_id):
            return existing
        if self._uploads.pop(new.user, UploadId(FileKey(new.object_id))) is None:
            raise UploadNotFound(UploadId(FileKey(new.object_id)))
        return self.save(new)

    def get_by_object(self, user: str, object_id: str) -> FileRecord | None:
        found = (file for (owner, *_), file in self._versions.items() if owner == user and file.object_id == object_id)
        return next(found, None)

    def save_version(self, record: FileRecord) -> FileRecord:
        """Save a record as the newest version of its file, and claim its name."""
        stored = FileRecord.model_validate_json(record.model_dump_json())
        self._newest[stored.user, stored.file_key] = stored
        self._versions[stored.user, stored.file_key, stored.version] = stored
        claim = NameClaim.model_validate(stored, from_attributes=True)
        self._claims[_namespace(stored), stored.name] = claim
        return stored

    def get(self, user: str, file_key: str) -> FileRecord | None:
        return self._newest.get((user, file_key))

    def get_version(self, user: str, file_key: str, version: int) -> FileRecord | None:
        return self._versions.get((user, file_key, version))

    def list_versions(self, user: str, file_key: str, limit: int, cursor: str | None) -> Page[FileRecord]:
        found = [(f"{n:06d}", file) for (*key, n), file in self._versions.items() if key == [user, file_key]]
        return page_of(sorted(found, reverse=True), limit, cursor)

    def list(self, user: str, limit: int, cursor: str | None, file_filter: FileFilter = ALL_FILES) -> Page[FileRecord]:
        files = [file for (owner, _), file in self._newest.items() if owner == user and file_filter.matches(file)]
        if file_filter.name_prefix:
            by_name = sorted((f"{file.name}/{file.file_key}", file) for file in files)
            return page_of(by_name, limit, cursor)
        return page_of(sorted(((file.file_key, file) for file in files), reverse=True), limit, cursor)

    def usage(self, user: str) -> Usage:
        sizes = [file.size for (owner, *_), file in self._versions.items() if owner == user]
        sizes += [size for (owner, _), views in self._views.items() if owner == user for size in views.values()]
        return Usage(bytes=sum(sizes), count=sum(owner == user for owner, _ in self._newest))

    def list_for_session(self, user: str, session_id: str) -> Sequence[FileRecord]:
        files = [f for (owner, _), f in self._newest.items() if owner == user and f.session_id == session_id]
        return sorted(files, key=lambda file: file.created_at, reverse=True)

    def list_by_name(self, user: str, session_id: str | None, name: str) -> Iterator[FileRecord]:
        files = [file for (owner, _), file in self._newest.items() if owner == user and file.name == name]
        newest = sorted(files, key=lambda file: file.file_key, reverse=True)
        return iter(sorted(newest, key=lambda file: session_id is None or file.session_id != session_id))

    def list_all(self) -> Sequence[FileRecord]:
        """Return the newest versions of all files of all users."""
        return list(self._newest.values())

    def add_view(self, record: FileRecord, key: str, size: int) -> None:
        self._views.setdefault((record.user, record.file_key), {})[key] = size

    def take_views(self, record: FileRecord) -> Sequence[str]:
        return list(self._views.pop((record.user, record.file_key), {}))

    def remove(self, record: FileRecord, check: FileCheck = accept_any) -> Sequence[str]:
        if newest := self.get(record.user, record.file_key):
            check(newest)
        versions = [key for key in self._versions if key[:2] == (record.user, record.file_key)]
        object_keys = [self._versions.pop(key).key for key in versions]
        self._newest.pop((record.user, record.file_key), None)
        self._claims.pop((_namespace(record), record.name), None)
        return object_keys


def _namespace(file: NewFile) -> _Namespace:
    """Names are unique within a session; files without a session have one namespace per user."""
    return file.user, file.session_id


class FakeFileReaper:
    """Implements ``ports.files.FileReaper`` for ``FakeFiles``."""

    def __init__(self, files: FakeFiles, sessions: FakeSessions) -> None:
        self._files = files
        self._sessions = sessions

    def list_expired(self, until: datetime, limit: int) -> Sequence[FileRecord]:
        expired = [file for file in self._files.list_all() if is_expired(file, until)]
        return sorted(expired, key=lambda file: file.expires_at or 0)[:limit]

    def list_versions(self, records: Sequence[FileRecord]) -> Sequence[FileRecord]:
        found = [self._files.get_version(r.user, r.file_key, v) for r in records for v in range(1, r.version + 1)]
        return [version for version in found if version]

    def remove(self, records: Sequence[FileRecord]) -> int:
        unchanged = [record for record in records if self._files.get(record.user, record.file_key) == record]
        for record in unchanged:
            self._files.remove(record)
        return len(unchanged)

    def promote(self, record: FileRecord, *, while_open: bool) -> FileRecord:
        if self._files.get(record.user, record.file_key) != record:
            raise FileNotFound(record.file_key)
        session = self._sessions.get(record.user, record.session_id) if record.session_id else None
        if while_open and session and session.status is SessionStatus.ENDED:
            raise SessionEnded(session.session_id)
        return self._files.save_version(as_permanent(record))
