"""Check that a user's files, including those being uploaded, leave room for another file."""

from dataclasses import dataclass

from satchel.contract.errors import StorageExhausted
from satchel.domain.errors import StorageFull
from satchel.domain.ids import FileKey, UserName
from satchel.domain.quotas import Quotas, UserActivity
from satchel.ports.files import Files, Uploads


@dataclass(frozen=True)
class StorageQuota:
    """Check the storage quota of a user before a file is stored.

    A tool's file may exceed the quota by a tenth, because the tool's work would be lost. Files that are recorded at the
    same moment do not see each other, so together they may exceed the limit by their own sizes. Uploads in parts, which
    may be large, are exact: they reserve their size when they start.
    """

    files: Files
    uploads: Uploads
    quotas: Quotas

    def check_upload(self, user: UserName, size: int, uploads: UserActivity | None = None) -> None:
        """Raise StorageFull if a file of ``size`` bytes does not fit. ``uploads`` are the uploads in progress."""
        used = self.used_bytes(user, uploads or self.uploads.activity(user))
        if used + size > self.quotas.stored_bytes:
            raise StorageFull(self.quotas.stored_bytes, used, size)

    def check_tool_file(self, user: UserName, object_id: FileKey, size: int) -> None:
        """Raise StorageExhausted if a tool's file of ``size`` bytes does not fit and is not recorded already."""
        used = self.used_bytes(user, self.uploads.activity(user))
        if used + size > self.quotas.stored_bytes_with_tool_files and not self.files.get_by_object(user, object_id):
            raise StorageExhausted(size, used, self.quotas.stored_bytes)

    def used_bytes(self, user: UserName, uploads: UserActivity) -> int:
        """Return the bytes of the user's files and of the uploads in progress."""
        return self.files.usage(user).bytes + uploads.upload_bytes
