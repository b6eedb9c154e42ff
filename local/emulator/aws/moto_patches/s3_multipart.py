"""Correct moto's S3 multipart uploads: part checksums, part listings, and errors for unknown or completed uploads.

Patches ``upload_part`` and ``list_parts`` of ``S3Response``, and the methods of ``S3Backend`` and ``FakeMultipart``
that they call. Unpatched moto accepts a part even if its checksum is wrong, and does not store the checksum. If some
part numbers are missing, moto lists parts incorrectly, because it uses the part number marker as a list index. moto
responds with an internal error if a part belongs to an unknown upload, and if one request completes or aborts an upload
while another uses it: the parts are closed during the use. A lock for each upload lets one request use it at a time.
"""

import base64
import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from moto.s3.exceptions import NoSuchUpload, S3ClientError
from moto.s3.models import FakeKey, FakeMultipart, S3Backend
from moto.s3.responses import S3Response

from local.emulator.aws.moto_patches.patching import original, replace
from local.emulator.aws.moto_patches.s3_objects import note_upload

_CHECKSUM_HEADER = "x-amz-checksum-sha256"
_PART_NUMBER = re.compile(r"<PartNumber>(\d+)</PartNumber>")
_respond_to_part = original(S3Response, "upload_part")
_respond_to_list = original(S3Response, "list_parts")
_store_part = original(S3Backend, "upload_part")
_complete_upload = original(S3Backend, "complete_multipart_upload")
_abort_upload = original(S3Backend, "abort_multipart_upload")


@cache
def install() -> None:
    """Patch moto so that multipart uploads verify checksums, list parts and report errors as S3 does."""
    replace(S3Response, "upload_part", _upload_part)
    replace(S3Response, "list_parts", _list_parts)
    replace(S3Backend, "upload_part", _upload_part_of_known_upload)
    replace(S3Backend, "complete_multipart_upload", _complete)
    replace(S3Backend, "abort_multipart_upload", _abort)
    replace(S3Backend, "is_truncated", _is_truncated)
    replace(FakeMultipart, "list_parts", _parts_after)


def _upload_part(self: S3Response) -> Any:  # noqa: ANN401  (moto's response)
    upload = _find_upload(self.backend, self.bucket_name, self._get_param("uploadId"))
    checksum = self.headers.get(_CHECKSUM_HEADER)
    if checksum is None and upload.metadata.get("x-amz-checksum-algorithm") == "SHA256":
        raise S3ClientError("InvalidRequest", "Checksum Type mismatch: expected sha256, actual null")
    if checksum is not None and checksum != base64.b64encode(hashlib.sha256(self.body or b"").digest()).decode():
        raise S3ClientError("BadDigest", "The SHA256 you specified did not match the calculated checksum.")
    response = _respond_to_part(self)
    upload.parts[self._get_int_param("partNumber")].checksum_value = checksum
    return response


def _list_parts(self: S3Response) -> Any:  # noqa: ANN401  (moto's response)
    upload = _find_upload(self.backend, self.bucket_name, self._get_param("uploadId"))

    def with_checksum(match: re.Match[str]) -> str:
        checksum = upload.parts[int(match[1])].checksum_value
        return f"{match[0]}<ChecksumSHA256>{checksum}</ChecksumSHA256>" if checksum else match[0]

    with _exclusive_use(self.backend, self.bucket_name, upload.id):
        status, headers, body = _respond_to_list(self)
        return status, headers, _PART_NUMBER.sub(with_checksum, body)


def _upload_part_of_known_upload(
    self: S3Backend, bucket_name: str, multipart_id: str, part_id: int, value: bytes
) -> FakeKey:
    with _exclusive_use(self, bucket_name, multipart_id):
        part: FakeKey = _store_part(self, bucket_name, multipart_id, part_id, value)
        return part


def _complete(self: S3Backend, bucket_name: str, multipart_id: str, body: Iterator[tuple[int, str]]) -> Any:  # noqa: ANN401  (moto's object)
    with _exclusive_use(self, bucket_name, multipart_id):
        return _complete_upload(self, bucket_name, multipart_id, body)


def _abort(self: S3Backend, bucket_name: str, multipart_id: str) -> None:
    with _exclusive_use(self, bucket_name, multipart_id):
        _abort_upload(self, bucket_name, multipart_id)


def _is_truncated(self: S3Backend, bucket_name: str, multipart_id: str, next_part_number_marker: int) -> bool:
    return any(number > next_part_number_marker for number in _find_upload(self, bucket_name, multipart_id).partlist)


def _parts_after(self: FakeMultipart, part_number_marker: int, max_parts: int) -> Iterator[FakeKey]:
    numbers = [number for number in self.partlist if number > part_number_marker]
    yield from (self.parts[number] for number in numbers[:max_parts])


@contextmanager
def _exclusive_use(backend: S3Backend, bucket: str, s3_upload_id: str) -> Iterator[None]:
    """Let no other request use the upload. Raise NoSuchUpload if it is unknown, complete or aborted."""
    upload = _find_upload(backend, bucket, s3_upload_id)
    note_upload(s3_upload_id)
    with vars(upload).setdefault("lock", threading.Lock()):
        _find_upload(backend, bucket, s3_upload_id)  # again: the previous user may have completed or aborted it
        yield


def _find_upload(backend: S3Backend, bucket_name: str, s3_upload_id: str) -> FakeMultipart:
    upload: FakeMultipart | None = backend.get_bucket(bucket_name).multiparts.get(s3_upload_id)
    if upload is None:
        raise NoSuchUpload(upload_id=s3_upload_id)
    return upload
