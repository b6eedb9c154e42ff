"""Keep a file that would go by itself: a deferred one beyond its hour, a temporary one beyond its session.

Delete a file with every version of it.

Delete many files at once, with every version of them.

Delete what has expired, end what is idle, finish what was left (function expire, every 15 minutes).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.errors import FileNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey
from satchel.domain.users import Identity
from satchel.ports.files import FileReaper, Files
from satchel.ports.storage import FileStore
from satchel.services.files.read_files import ReadFiles


@dataclass(frozen=True)
class KeepFile:
    """Safe to repeat: a file that stays is left as it is."""

    read: ReadFiles
    reaper: FileReaper
    store: FileStore
    persist_files_across_sessions: bool

    def __call__(self, who: Identity, file_key: FileKey) -> FileRecord:
        """Return the file as it is kept. Raises FileNotFound, SessionEnded where it goes with a session that ended."""
        record = self.read(who, file_key)
        if not record.is_transient:
            return record
        while_open = record.temporary or not self.persist_files_across_sessions
        self.store.tag(record.key, {})  # first: of what is said to stay, the bucket must not drop the bytes
        return self.reaper.promote(record, while_open=while_open)


@dataclass(frozen=True)
class RemoveFile:
    """The record goes first: from then on the file is gone for every reader, whatever becomes of its bytes."""

    files: Files
    store: FileStore

    def __call__(self, who: Identity, file_key: FileKey) -> None:
        """Delete a file of this person. Raises FileNotFound."""
        record = self.files.get(who.name, file_key)
        if record is None:
            raise FileNotFound(file_key)
        self.store.delete(self.files.remove(record))


@dataclass(frozen=True)
class RemoveFiles:
    """The bytes go first: what is left of a deletion that was broken off is found by its records, and done again.

    For files that are gone for every reader already, or whose session has ended: there is no doubt that they go.
    """

    reaper: FileReaper
    store: FileStore

    def __call__(self, records: Sequence[FileRecord]) -> int:
        """Return how many files went; one that got another version meanwhile stays, as that."""
        self.store.delete([version.key for version in self.reaper.versions(records)])
        return self.reaper.remove(records)
