"""Delete a file with every version of it."""

from dataclasses import dataclass

from satchel.domain.errors import FileNotFound
from satchel.domain.identity import Identity
from satchel.ports.catalog import Files
from satchel.ports.file_store import FileStore


@dataclass(frozen=True)
class RemoveFile:
    """The record goes first: from then on the file is gone for every reader, whatever becomes of its bytes."""

    files: Files
    store: FileStore

    def __call__(self, who: Identity, file_key: str) -> None:
        """Delete a file of this person. Raises FileNotFound."""
        record = self.files.get(who.name, file_key)
        if record is None:
            raise FileNotFound(file_key)
        self.store.delete(self.files.remove(record))
