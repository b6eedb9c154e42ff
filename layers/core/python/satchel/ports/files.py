"""Storage of file records and unfinished uploads, and the deletion of expired files."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.files import FileFilter, FileRecord, NewFile, Usage
from satchel.domain.ids import FileKey, SessionId, UploadId, UserName
from satchel.domain.quotas import UserActivity
from satchel.domain.uploads import Upload
from satchel.ports import Page

ALL_FILES = FileFilter()

UploadCheck = Callable[[UserActivity], None]
"""A function that raises an error if the user, with these uploads in progress, may not start another one."""

FileCheck = Callable[[FileRecord], None]
"""A function that raises an error if a file, as it is now, may not be changed."""


def accept_any(stored: UserActivity | FileRecord) -> None:
    """Accept any number of uploads, and any file."""
    del stored


class Files(Protocol):
    """Stores file records by key, session and name. A record describes a file; its content is in the object store."""

    def save(self, new: NewFile) -> FileRecord:
        """Save a stored object as a new file, or as a new version of the file with its name. Safe to repeat.

        ``domain.files.resolve_name_conflict`` decides whether the object becomes a new version.
        """
        ...

    def save_upload(self, new: NewFile) -> FileRecord:
        """Save an upload's object as a file and remove the upload, in one transaction. Safe to repeat.

        Raise UploadNotFound if the upload was aborted.
        """
        ...

    def get_by_object(self, user: UserName, object_id: FileKey) -> FileRecord | None:
        """Return the record of the file version whose content is this object, or None."""
        ...

    def get(self, user: UserName, file_key: FileKey) -> FileRecord | None:
        """Return the newest version of a user's file, or None."""
        ...

    def get_version(self, user: UserName, file_key: FileKey, version: int) -> FileRecord | None:
        """Return one version of a file, or None."""
        ...

    def list_versions(self, user: UserName, file_key: FileKey, limit: int, cursor: str | None) -> Page[FileRecord]:
        """Return a page of the versions of a user's file, newest first. The page is empty if there is no such file."""
        ...

    def list(
        self, user: UserName, limit: int, cursor: str | None, file_filter: FileFilter = ALL_FILES
    ) -> Page[FileRecord]:
        """Return the user's matching files, newest first, or by name if the filter has a name prefix.

        A page may have fewer than ``limit`` files, or none, although more pages follow.
        """
        ...

    def usage(self, user: UserName) -> Usage:
        """Return the user's storage usage."""
        ...

    def list_for_session(self, user: UserName, session_id: SessionId) -> Sequence[FileRecord]:
        """Return the files of a session, newest first."""
        ...

    def list_by_name(self, user: UserName, session_id: SessionId | None, name: str) -> Iterator[FileRecord]:
        """Yield the user's files with this name: first the session's, then the others, newest first."""
        ...

    def add_view(self, record: FileRecord, key: str, size: int) -> None:
        """Remember a picture of the file that only models see, by its S3 key, and count its bytes. Safe to repeat."""
        ...

    def take_views(self, record: FileRecord) -> Sequence[str]:
        """Forget the file's views. Return their S3 keys: the caller must delete the objects."""
        ...

    def remove(self, record: FileRecord, check: FileCheck = accept_any) -> Sequence[str]:
        """Remove the records of a file and its versions. Return the S3 keys of objects that the caller must delete.

        Remove nothing if ``check`` raises an error for the newest version. The file does not change in between.
        """
        ...


class FileReaper(Protocol):
    """Deletes expired files, and makes temporary files permanent."""

    def list_expired(self, until: datetime, limit: int) -> Sequence[FileRecord]:
        """Return files of all users that expired by the time ``until``, the oldest first."""
        ...

    def list_versions(self, records: Sequence[FileRecord]) -> Sequence[FileRecord]:
        """Return all versions of these files."""
        ...

    def remove(self, records: Sequence[FileRecord]) -> int:
        """Remove the files with all versions, except files that have changed since ``records`` were read.

        Return the number of removed files. Missing files are ignored.
        """
        ...

    def promote(self, record: FileRecord, *, while_open: bool) -> FileRecord:
        """Make a file permanent. Raise FileNotFound if it changed or was removed since ``record`` was read.

        If ``while_open`` is True, also raise SessionEnded if the file's session has ended.
        """
        ...


class Uploads(Protocol):
    """Stores unfinished uploads. ``Files.save_upload`` removes an upload when it completes."""

    def add(self, upload: Upload, check: UploadCheck = accept_any) -> None:
        """Add an upload, unless ``check`` raises an error for the user's other uploads in progress.

        No other upload of the user starts between the check and the addition.
        """
        ...

    def activity(self, user: UserName) -> UserActivity:
        """Return the number and total size of the user's uploads in progress. Its other counts are 0."""
        ...

    def get(self, user: UserName, upload_id: UploadId) -> Upload | None:
        """Return a user's upload, or None."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Upload]:
        """Return a user's uploads, newest first."""
        ...

    def pop(self, user: UserName, upload_id: UploadId) -> Upload | None:
        """Remove and return an upload, or return None. Only one of several concurrent callers gets the upload."""
        ...

    def list_expired(self, now: datetime, limit: int) -> Sequence[Upload]:
        """Return expired uploads of all users, the oldest first."""
        ...
