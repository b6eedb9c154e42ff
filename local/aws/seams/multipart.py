"""The parts of an upload are what their checksums say, which S3 keeps; one that does not fit is refused.

Patches ``upload_part`` and ``list_parts`` of ``S3Response``, and the part of ``S3Backend`` and ``FakeMultipart`` that
answers them. Without it moto takes any bytes for any checksum and forgets it, lists parts wrongly where some have not
come yet (it takes the marker for a place instead of a number), and answers a part of an upload that is not there, or
two completions at once, with an error of its own.
"""

import base64
import hashlib
import re
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

from moto.s3.exceptions import NoSuchUpload, S3ClientError
from moto.s3.models import FakeKey, FakeMultipart, S3Backend
from moto.s3.responses import S3Response

from local.aws.seams.patching import original, replace

_HEADER = "x-amz-checksum-sha256"
_NUMBER = re.compile(r"<PartNumber>(\d+)</PartNumber>")
_take_part = original(S3Response, "upload_part")
_list = original(S3Response, "list_parts")
_keep_part = original(S3Backend, "upload_part")
_complete_upload = original(S3Backend, "complete_multipart_upload")
_completing = threading.Lock()


@cache
def install() -> None:
    """Patch moto."""
    replace(S3Response, "upload_part", _upload_part)
    replace(S3Response, "list_parts", _list_parts)
    replace(S3Backend, "upload_part", _known_upload_part)
    replace(S3Backend, "complete_multipart_upload", _complete)
    replace(S3Backend, "is_truncated", _is_truncated)
    replace(FakeMultipart, "list_parts", _parts_after)


def _upload_part(self: S3Response) -> Any:  # noqa: ANN401  (moto's answer)
    upload = _upload(self.backend, self.bucket_name, self._get_param("uploadId"))
    told = self.headers.get(_HEADER)
    if told is None and upload.metadata.get("x-amz-checksum-algorithm") == "SHA256":
        raise S3ClientError("InvalidRequest", "Checksum Type mismatch: expected sha256, actual null")
    if told is not None and told != base64.b64encode(hashlib.sha256(self.body or b"").digest()).decode():
        raise S3ClientError("BadDigest", "The SHA256 you specified did not match the calculated checksum.")
    answer = _take_part(self)
    upload.parts[self._get_int_param("partNumber")].checksum_value = told
    return answer


def _list_parts(self: S3Response) -> Any:  # noqa: ANN401  (moto's answer)
    upload = _upload(self.backend, self.bucket_name, self._get_param("uploadId"))

    def with_checksum(found: re.Match[str]) -> str:
        told = upload.parts[int(found[1])].checksum_value
        return f"{found[0]}<ChecksumSHA256>{told}</ChecksumSHA256>" if told else found[0]

    status, headers, body = _list(self)
    return status, headers, _NUMBER.sub(with_checksum, body)


def _known_upload_part(self: S3Backend, bucket_name: str, multipart_id: str, part_id: int, value: bytes) -> FakeKey:
    _upload(self, bucket_name, multipart_id)
    part: FakeKey = _keep_part(self, bucket_name, multipart_id, part_id, value)
    return part


def _complete(self: S3Backend, bucket_name: str, multipart_id: str, body: Iterator[tuple[int, str]]) -> Any:  # noqa: ANN401  (a key)
    with _completing:
        _upload(self, bucket_name, multipart_id)
        return _complete_upload(self, bucket_name, multipart_id, body)


def _is_truncated(self: S3Backend, bucket_name: str, multipart_id: str, next_part_number_marker: int) -> bool:
    return any(number > next_part_number_marker for number in _upload(self, bucket_name, multipart_id).partlist)


def _parts_after(self: FakeMultipart, part_number_marker: int, max_parts: int) -> Iterator[FakeKey]:
    after = [number for number in self.partlist if number > part_number_marker]
    yield from (self.parts[number] for number in after[:max_parts])


def _upload(backend: S3Backend, bucket_name: str, upload_id: str) -> FakeMultipart:
    upload: FakeMultipart | None = backend.get_bucket(bucket_name).multiparts.get(upload_id)
    if upload is None:
        raise NoSuchUpload(upload_id=upload_id)
    return upload
