"""Runs multipart uploads in S3. The presigned URL of a part accepts only content with the part's length and SHA-256."""

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
_GONE_CODE = "NoSuchUpload"


@dataclass(frozen=True)
class S3Uploads:
    """Run multipart uploads to an S3 bucket. Implements ``ports.storage.PartStore``."""

    client: "S3Client"
    bucket: str

    def begin(self, key: str, mime: str) -> str:
        """Start an upload whose parts require SHA-256 checksums. Return the upload id that S3 assigned."""
        response = self.client.create_multipart_upload(
            Bucket=self.bucket, Key=key, ContentType=mime, ChecksumAlgorithm="SHA256", ChecksumType="COMPOSITE"
        )
        return response["UploadId"]

    def presign_part(self, upload: Upload, part: Part, seconds: int) -> tuple[str, dict[str, str]]:
        parameters = {
            "Bucket": self.bucket,
            "Key": upload.file.key,
            "UploadId": upload.store_id,
            "PartNumber": part.number,
            "ContentLength": upload.size_of(part.number),
            "ChecksumSHA256": part.sha256,
        }
        url = self.client.generate_presigned_url("upload_part", Params=parameters, ExpiresIn=seconds)
        return url, {_CHECKSUM_HEADER: part.sha256}

    def list_parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        """Return a page of the upload's stored parts by number, or an empty page if it was completed or aborted."""
        try:
            response = self.client.list_parts(
                Bucket=self.bucket,
                Key=upload.file.key,
                UploadId=upload.store_id,
                MaxParts=limit,
                PartNumberMarker=_part_number(cursor),
            )
        except ClientError as error:
            _raise_unless_gone(error)
            return Page[StoredPart](items=[])
        parts = [_stored(part) for part in response.get("Parts", [])]
        has_more = response.get("IsTruncated") and parts
        return Page(items=parts, cursor=to_cursor(str(parts[-1].number)) if has_more else None)

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
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
        try:
            self.client.abort_multipart_upload(Bucket=self.bucket, Key=upload.file.key, UploadId=upload.store_id)
        except ClientError as error:
            _raise_unless_gone(error)


def _part_number(cursor: str | None) -> int:
    text = "0" if cursor is None else from_cursor(cursor, "") or ""
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_PARTS):
        raise InvalidRequest("The cursor does not belong to this list.")
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
    if error.response["Error"]["Code"] != _GONE_CODE:
        raise error
