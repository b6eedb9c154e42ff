"""Delete many files at once, with every version of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.files import FileRecord
from satchel.ports.file_store import FileStore
from satchel.ports.going import GoingFiles


@dataclass(frozen=True)
class RemoveFiles:
    """The bytes go first: what is left of a deletion that was broken off is found by its records, and done again.

    For files that are gone for every reader already, or whose session has ended: there is no doubt that they go.
    """

    going: GoingFiles
    store: FileStore

    def __call__(self, records: Sequence[FileRecord]) -> int:
        """Return how many files went; one that got another version meanwhile stays, as that."""
        self.store.delete([version.key for version in self.going.versions(records)])
        return self.going.remove(records)
