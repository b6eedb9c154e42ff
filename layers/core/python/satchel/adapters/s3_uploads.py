"""Multipart uploads of the bucket as ``PartStore``. Each part is signed with its length and its SHA-256."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from satchel.adapters.dynamodb.items import from_cursor, to_cursor
from satchel.domain.errors import InvalidRequest
from satchel.domain.uploads import MAX_PARTS, Part, StoredPart, Upload
from satchel.ports import Page

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef, PartTypeDef

_CHECKSUM_HEADER = "x-amz-checksum-sha256"
_GONE = "NoSuchUpload"


@dataclass(frozen=True)
class S3Uploads:
    """Implements ``ports.uploads.PartStore``."""

    client: "S3Client"
    bucket: str

    def begin(self, key: str, mime: str) -> str:
        """Begin an upload whose parts need checksums, and return S3's id of it."""
        answer = self.client.create_multipart_upload(
            Bucket=self.bucket, Key=key, ContentType=mime, ChecksumAlgorithm="SHA256", ChecksumType="COMPOSITE"
        )
        return answer["UploadId"]

    def sign(self, upload: Upload, part: Part, seconds: int) -> tuple[str, dict[str, str]]:
        """Return a presigned PUT of one part, and the headers to send. Content-Length is signed, too."""
        wanted = {
            "Bucket": self.bucket,
            "Key": upload.file.key,
            "UploadId": upload.store_id,
            "PartNumber": part.number,
            "ContentLength": upload.size_of(part.number),
            "ChecksumSHA256": part.sha256,
        }
        url = self.client.generate_presigned_url("upload_part", Params=wanted, ExpiresIn=seconds)
        return url, {_CHECKSUM_HEADER: part.sha256}

    def parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        """Return the parts that came, by number; none of an upload that S3 does not know any more."""
        try:
            answer = self.client.list_parts(
                Bucket=self.bucket,
                Key=upload.file.key,
                UploadId=upload.store_id,
                MaxParts=limit,
                PartNumberMarker=_number(cursor),
            )
        except ClientError as error:
            _raise_unless_gone(error)
            return Page[StoredPart](items=[])
        found = [_stored(part) for part in answer.get("Parts", [])]
        more = answer.get("IsTruncated") and found
        return Page(items=found, cursor=to_cursor(str(found[-1].number)) if more else None)

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
        """Make the object of its parts; one that was made so before, or was given up, is no error."""
        try:
            self.client.complete_multipart_upload(
                Bucket=self.bucket,
                Key=upload.file.key,
                UploadId=upload.store_id,
                MultipartUpload={"Parts": [_completed(part) for part in parts]},
            )
        except ClientError as error:
            _raise_unless_gone(error)

    def abort(self, upload: Upload) -> None:
        """Give up what came so far; an upload that S3 does not know is no error."""
        try:
            self.client.abort_multipart_upload(Bucket=self.bucket, Key=upload.file.key, UploadId=upload.store_id)
        except ClientError as error:
            _raise_unless_gone(error)


def _number(cursor: str | None) -> int:
    text = "0" if cursor is None else from_cursor(cursor, "") or ""
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_PARTS):
        raise InvalidRequest("The cursor is not one that this list gave.")
    return int(text)


def _stored(part: "PartTypeDef") -> StoredPart:
    return StoredPart(
        number=part["PartNumber"], size=part["Size"], etag=part["ETag"], sha256=part.get("ChecksumSHA256")
    )


def _completed(part: StoredPart) -> "CompletedPartTypeDef":
    completed: CompletedPartTypeDef = {"PartNumber": part.number, "ETag": part.etag}
    if part.sha256:
        completed["ChecksumSHA256"] = part.sha256
    return completed


def _raise_unless_gone(error: ClientError) -> None:
    if error.response["Error"]["Code"] != _GONE:
        raise error
