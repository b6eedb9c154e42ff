"""Make transient files permanent, and delete files with all their versions.

Transient files are deferred files, which expire at a set time, and temporary files, which expire with their session.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.contract import is_app
from satchel.domain.errors import FileNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey
from satchel.domain.media import media_of
from satchel.domain.users import Identity
from satchel.ports.files import FileCheck, FileReaper, Files, accept_any
from satchel.ports.storage import FileStore
from satchel.services.files.read_files import ReadFiles


@dataclass(frozen=True)
class KeepFile:
    """Make a transient file, which would expire, permanent. A permanent file stays unchanged."""

    read: ReadFiles
    reaper: FileReaper
    store: FileStore
    persist_files_across_sessions: bool

    def __call__(self, who: Identity, file_key: FileKey, check: FileCheck = accept_any) -> FileRecord:
        """Make the file permanent and return it, unless ``check`` raises an error for the file as it is now.

        Raise FileNotFound, or SessionEnded for an ended session's file.
        """
        record = self.read(who, file_key)
        check(record)
        if not record.is_transient:
            return record
        while_open = record.temporary or not self.persist_files_across_sessions
        self.store.set_tags(record.key, {})  # remove the expiry tag first, so that S3 keeps the bytes
        try:
            return self.reaper.promote(record, while_open=while_open)
        except FileNotFound:  # another request has changed or deleted it
            check(self.read(who, file_key))
            raise


@dataclass(frozen=True)
class RemoveFile:
    """Delete a file. The record is deleted before the bytes, so no request finds a file without its bytes."""

    files: Files
    store: FileStore

    def __call__(self, who: Identity, file_key: FileKey, check: FileCheck = accept_any) -> None:
        """Delete the user's file with all its versions, unless ``check`` raises an error for it. Raise FileNotFound."""
        record = self.files.get(who.name, file_key)
        if record is None:
            raise FileNotFound(file_key)
        self.store.delete([*self.files.remove(record, check), *take_views(self.files, [record])])


@dataclass(frozen=True)
class RemoveFiles:
    """Delete many files: bytes before records, so that the next run can complete an interrupted deletion."""

    files: Files
    reaper: FileReaper
    store: FileStore

    def __call__(self, records: Sequence[FileRecord]) -> int:
        """Delete the files and return their number. Keep files that got a new version after they were listed."""
        versions = self.reaper.list_versions(records)
        self.store.delete([*(version.key for version in versions), *take_views(self.files, records)])
        return self.reaper.remove(records)


def take_views(files: Files, records: Sequence[FileRecord]) -> list[str]:
    """Forget the views of these files. Return their S3 keys. Only pictures, PDF files and apps have views."""
    return [key for record in records if media_of(record) or is_app(record.mime) for key in files.take_views(record)]
