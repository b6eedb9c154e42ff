"""TODO."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.files import FileFilter, FileRecord, NewFile, Usage
from satchel.domain.ids import FileKey, SessionId, UploadId, UserName
from satchel.domain.uploads import Upload
from satchel.ports import Page

ALL_FILES = FileFilter()


class Files(Protocol):
    """Files of a person, by key, by session, by name."""

    def save(self, new: NewFile) -> FileRecord:
        """Make stored bytes a file, or a new version of one (``domain.files.judge``). Again: the same record."""
        ...

    def save_upload(self, new: NewFile) -> FileRecord:
        """Make the bytes of an upload a file, and end the upload, in one transaction. Again: the same record.

        Raises UploadNotFound where it was given up.
        """
        ...

    def get_by_object(self, user: UserName, object_id: FileKey) -> FileRecord | None:
        """Return the version that an object was made, if it was."""
        ...

    def get(self, user: UserName, file_key: FileKey) -> FileRecord | None:
        """Return the newest version of a file of this person."""
        ...

    def get_version(self, user: UserName, file_key: FileKey, version: int) -> FileRecord | None:
        """Return one version of a file."""
        ...

    def list(
        self, user: UserName, limit: int, cursor: str | None, file_filter: FileFilter = ALL_FILES
    ) -> Page[FileRecord]:
        """Return those files of a person that are meant, newest first; by name where a beginning of names is given.

        A page may hold fewer than ``limit``, or none, while more pages follow.
        """
        ...

    def usage(self, user: UserName) -> Usage:
        """Return how much a person keeps."""
        ...

    def list_for_session(self, user: UserName, session_id: SessionId) -> Sequence[FileRecord]:
        """Return the files of a session, newest first."""
        ...

    def list_by_name(self, user: UserName, session_id: SessionId | None, name: str) -> Iterator[FileRecord]:
        """Give the files of this name: the session's, then the person's other ones, newest first."""
        ...

    def remove(self, record: FileRecord) -> Sequence[str]:
        """Remove a file with all versions and free its name; return the S3 keys that must go."""
        ...


class FileReaper(Protocol):
    """The part of the catalog of files that ends them."""

    def list_expired(self, until: datetime, limit: int) -> Sequence[FileRecord]:
        """Return files of anybody that had expired by then, the oldest first."""
        ...

    def list_versions(self, records: Sequence[FileRecord]) -> Sequence[FileRecord]:
        """Return all versions of these files."""
        ...

    def remove(self, records: Sequence[FileRecord]) -> int:
        """Remove files with all their versions and free their names; return how many went.

        One that somebody changed in between stays as it is now; one that is gone already is none.
        """
        ...

    def promote(self, record: FileRecord, *, while_open: bool) -> FileRecord:
        """Write a file as one that stays (``domain.files.promoted``), if its session is open where that matters.

        Raises FileNotFound where it was changed or removed in between, SessionEnded.
        """
        ...


class Uploads(Protocol):
    """Uploads of a person that are neither complete nor given up. ``Files.keep_upload`` is what ends a complete one."""

    def add(self, upload: Upload) -> None:
        """Write a new one."""
        ...

    def get(self, user: UserName, upload_id: UploadId) -> Upload | None:
        """Return one of this person."""
        ...

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Upload]:
        """Return them, newest first."""
        ...

    def pop(self, user: UserName, upload_id: UploadId) -> Upload | None:
        """Remove one and return it: of many who take it, one gets it."""
        ...

    def list_expired(self, now: datetime, limit: int) -> Sequence[Upload]:
        """Return uploads of anybody whose time is over, the oldest first."""
        ...
