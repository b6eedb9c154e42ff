"""Stores uploads in progress: ``USER#{user} / UPLOAD#{upload_id}``, in the bucket ``uploads`` of the expiry index.

Completing an upload deletes its item in the transaction that creates the file (``DynamoFiles.save_upload``). Aborting
an upload deletes its item with ``pop``. Only one of these two deletions can succeed, so no upload is both completed and
aborted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.ids import UploadId, UserName
from satchel.domain.uploads import Upload
from satchel.ports import Page

_PREFIX = "UPLOAD#"
_EXPIRY_BUCKET = "uploads"


def upload_key(user: UserName, upload_id: UploadId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of an upload's item."""
    return f"USER#{user}", f"{_PREFIX}{upload_id}"


def _upload(item: Item) -> Upload:
    return Upload.model_validate_json(str(item["doc"]))


@dataclass(frozen=True)
class DynamoUploads:
    """Store uploads in the table. Implements ``ports.files.Uploads``."""

    table: Table

    def add(self, upload: Upload) -> None:
        pk, sk = upload_key(upload.file.user, upload.upload_id)
        item: Item = {"pk": pk, "sk": sk, "upload_id": upload.upload_id, "doc": upload.model_dump_json()}
        expiry: Item = {"expiry_bucket": _EXPIRY_BUCKET, "expires_at": int(upload.expires_at.timestamp())}
        self.table.put(item | expiry, if_absent=True)

    def get(self, user: UserName, upload_id: UploadId) -> Upload | None:
        return self.table.get_doc(*upload_key(user, upload_id), Upload)

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Upload]:
        return self.table.list_page(Query(f"USER#{user}", _PREFIX, limit, newest_first=True), cursor, _upload)

    def pop(self, user: UserName, upload_id: UploadId) -> Upload | None:
        item = self.table.pop(*upload_key(user, upload_id))
        return _upload(item) if item else None

    def list_expired(self, now: datetime, limit: int) -> Sequence[Upload]:
        return [_upload(item) for item in self.table.query_expired(_EXPIRY_BUCKET, int(now.timestamp()), limit)]
