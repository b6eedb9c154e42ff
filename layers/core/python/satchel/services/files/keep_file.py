"""Keep a file that would go by itself: a deferred one beyond its hour, a temporary one beyond its session."""

from dataclasses import dataclass

from satchel.domain.files import FileRecord
from satchel.domain.identity import Identity
from satchel.ports.file_store import FileStore
from satchel.ports.going import GoingFiles
from satchel.services.files.read_files import ReadFiles


@dataclass(frozen=True)
class KeepFile:
    """Safe to repeat: a file that stays is left as it is."""

    read: ReadFiles
    going: GoingFiles
    store: FileStore
    persist_files_across_sessions: bool

    def __call__(self, who: Identity, file_key: str) -> FileRecord:
        """Return the file as it is kept. Raises FileNotFound, SessionEnded where it goes with a session that ended."""
        record = self.read(who, file_key)
        if not record.fleeting:
            return record
        while_open = record.temporary or not self.persist_files_across_sessions
        self.store.tag(record.key, {})  # first: of what is said to stay, the bucket must not drop the bytes
        return self.going.promote(record, while_open=while_open)
