"""Stores uploads in progress: ``USER#{user} / UPLOAD#{upload_id}``, in the bucket ``uploads`` of the expiry index.

The item ``QUOTA`` (module ``quotas``) counts the user's uploads and their bytes, in the same transactions.

Completing an upload deletes its item in the transaction that creates the file (``DynamoFiles.save_upload``). Aborting
an upload deletes its item with ``pop``. Only one of these two deletions can succeed, so no upload is both completed and
aborted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import transact_unless_erasing
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.quotas import build_upload_end, build_upload_start, read_uploads
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import Unavailable
from satchel.domain.ids import UploadId, UserName
from satchel.domain.quotas import UserActivity
from satchel.domain.uploads import Upload
from satchel.ports import Page
from satchel.ports.files import UploadCheck, accept_any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_PREFIX = "UPLOAD#"
_EXPIRY_BUCKET = "uploads"
_MAX_TRIES = 50


def upload_key(user: UserName, upload_id: UploadId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of an upload's item."""
    return f"USER#{user}", f"{_PREFIX}{upload_id}"


def _upload(item: Item) -> Upload:
    return Upload.model_validate_json(str(item["doc"]))


@dataclass(frozen=True)
class DynamoUploads:
    """Store uploads in the table. Implements ``ports.files.Uploads``."""

    table: Table

    def add(self, upload: Upload, check: UploadCheck = accept_any) -> None:
        """Store and count an upload, unless ``check`` raises. Repeat the check if the user's uploads change meanwhile.

        So two uploads that start at the same time never both get the last place or the last bytes.
        """
        user = upload.file.user
        for _ in tries(_MAX_TRIES):
            before = read_uploads(self.table, user)
            check(before)
            count = build_upload_start(self.table, user, upload.file.size, before)
            try:
                writes = [self._build_put(upload), count]
                return transact_unless_erasing(self.table, user, upload.file.created_at, writes)
            except (ConditionFailed, WriteConflict):
                continue
        raise Unavailable("Other requests are changing your uploads; try again.")

    def _build_put(self, upload: Upload) -> "TransactWriteItemTypeDef":
        pk, sk = upload_key(upload.file.user, upload.upload_id)
        item: Item = {"pk": pk, "sk": sk, "upload_id": upload.upload_id, "doc": upload.model_dump_json()}
        expiry: Item = {"expiry_bucket": _EXPIRY_BUCKET, "expires_at": int(upload.expires_at.timestamp())}
        return self.table.build_put(item | expiry, if_absent=True)

    def activity(self, user: UserName) -> UserActivity:
        return read_uploads(self.table, user)

    def get(self, user: UserName, upload_id: UploadId) -> Upload | None:
        return self.table.get_doc(*upload_key(user, upload_id), Upload)

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Upload]:
        return self.table.list_page(Query(f"USER#{user}", _PREFIX, limit, newest_first=True), cursor, _upload)

    def pop(self, user: UserName, upload_id: UploadId) -> Upload | None:
        for _ in tries(_MAX_TRIES):
            upload = self.get(user, upload_id)
            if upload is None:
                return None
            delete = self.table.build_delete_if(*upload_key(user, upload_id), "upload_id", upload_id)
            try:
                self.table.transact([delete, build_upload_end(self.table, user, upload.file.size)])
            except ConditionFailed:
                return None  # another request removed the upload
            except WriteConflict:
                continue
            else:
                return upload
        raise Unavailable("Other requests are changing your uploads; try again.")

    def list_expired(self, now: datetime, limit: int) -> Sequence[Upload]:
        return [_upload(item) for item in self.table.query_expired(_EXPIRY_BUCKET, int(now.timestamp()), limit)]
