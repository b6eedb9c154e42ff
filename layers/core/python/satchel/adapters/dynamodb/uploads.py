"""Uploads on their way: ``USER#{user} / UPLOAD#{upload_id}``, in the expiry index as ``uploads`` by when they end.

The transaction that makes the file removes the item (``DynamoFiles.keep_upload``), and giving up takes it: whoever
comes second finds that it is gone, so that an upload never becomes a file and is given up as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from satchel.adapters.dynamodb.items import Item, from_cursor, to_cursor
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.ids import UploadId, UserName
from satchel.domain.uploads import Upload
from satchel.ports import Page

_PREFIX = "UPLOAD#"
_BUCKET = "uploads"


def upload_key(user: UserName, upload_id: UploadId) -> tuple[str, str]:
    """Return where an upload stands."""
    return f"USER#{user}", f"{_PREFIX}{upload_id}"


def _upload(item: Item) -> Upload:
    return Upload.model_validate_json(str(item["doc"]))


@dataclass(frozen=True)
class DynamoUploads:
    """Implements ``ports.uploads.Uploads``."""

    table: Table

    def add(self, upload: Upload) -> None:
        """Write a new one."""
        pk, sk = upload_key(upload.file.user, upload.upload_id)
        item: Item = {"pk": pk, "sk": sk, "upload_id": upload.upload_id, "doc": upload.model_dump_json()}
        expiry: Item = {"expiry_bucket": _BUCKET, "expires_at": int(upload.expires_at.timestamp())}
        self.table.put(item | expiry, absent=True)

    def get(self, user: UserName, upload_id: UploadId) -> Upload | None:
        """Return one of this person."""
        item = self.table.get(*upload_key(user, upload_id))
        return _upload(item) if item else None

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Upload]:
        """Return them, newest first."""
        query = Query(f"USER#{user}", _PREFIX, limit, from_cursor(cursor, _PREFIX), newest_first=True)
        items, last = self.table.query(query)
        return Page(items=[_upload(item) for item in items], cursor=to_cursor(last))

    def take(self, user: UserName, upload_id: UploadId) -> Upload | None:
        """Remove one and return it: of many who take it, one gets it."""
        item = self.table.take(*upload_key(user, upload_id))
        return _upload(item) if item else None

    def due(self, now: datetime, limit: int) -> Sequence[Upload]:
        """Return uploads of anybody whose time is over, the oldest first."""
        return [_upload(item) for item in self.table.due(_BUCKET, int(now.timestamp()), limit)]
