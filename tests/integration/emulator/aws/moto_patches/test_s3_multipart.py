import itertools
import threading
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.s3.models import FakeMultipart

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from tests.hashes import base64_sha256
from tests.integration.aws.factories import run_concurrently

S3 = Any  # untyped, because the tests pass mappings as arguments
MIN_PART_BYTES = 5 << 20
LONGER_THAN_AN_ABORT_SECONDS = 0.5
_names = itertools.count()


class MultipartUpload:
    """One upload from the client's side."""

    def __init__(self, s3: S3) -> None:
        self.s3 = s3
        self.arguments = {"Bucket": "parts", "Key": f"alice/{next(_names)}"}
        created = s3.create_multipart_upload(**self.arguments, ChecksumAlgorithm="SHA256")
        self.arguments["UploadId"] = created["UploadId"]

    def put(self, number: int, body: bytes, checksum: str | None = None) -> Any:  # noqa: ANN401  (boto3's response)
        sent = {"PartNumber": number, "Body": body, "ChecksumSHA256": checksum or base64_sha256(body)}
        return self.s3.upload_part(**self.arguments, **sent)

    def parts(self, **options: int) -> list[dict[str, Any]]:
        return [dict(part) for part in self.s3.list_parts(**self.arguments, **options).get("Parts", [])]

    def complete(self) -> str:
        completed = [{"PartNumber": part["PartNumber"], "ETag": part["ETag"]} for part in self.parts()]
        response: Any = self.s3.complete_multipart_upload(**self.arguments, MultipartUpload={"Parts": completed})
        return str(response["ETag"])


@pytest.fixture(scope="module")
def s3(cloud: LocalCloud) -> S3:
    client: S3 = boto3.client("s3", config=Config(retries={"total_max_attempts": 1}))
    assert client.meta.endpoint_url == cloud.endpoint_url
    resources.create_bucket("parts", {})
    return client


@pytest.fixture
def upload(s3: S3) -> MultipartUpload:
    return MultipartUpload(s3)


def code(raised: pytest.ExceptionInfo[ClientError]) -> str:
    return raised.value.response["Error"]["Code"]


def test_part_with_a_wrong_checksum_is_rejected(upload: MultipartUpload) -> None:
    with pytest.raises(ClientError) as raised:
        upload.put(1, b"abd", checksum=base64_sha256(b"abc"))
    assert code(raised) == "BadDigest"
    assert upload.parts() == []


def test_parts_are_listed_with_checksums_by_number_with_gaps(upload: MultipartUpload) -> None:
    for number in (2, 5, 9):
        upload.put(number, b"%d" % number)

    assert [(part["PartNumber"], part["ChecksumSHA256"]) for part in upload.parts()] == [
        (number, base64_sha256(b"%d" % number)) for number in (2, 5, 9)
    ]
    assert [part["PartNumber"] for part in upload.parts(PartNumberMarker=2)] == [5, 9]
    first = upload.s3.list_parts(**upload.arguments, MaxParts=2)
    assert (first["IsTruncated"], first["NextPartNumberMarker"]) == (True, 5)


def test_aborted_upload_is_not_found(upload: MultipartUpload) -> None:
    upload.s3.abort_multipart_upload(**upload.arguments)
    for request in (lambda: upload.put(1, b"x"), upload.parts, upload.complete):
        with pytest.raises(ClientError) as raised:
            request()
        assert code(raised) == "NoSuchUpload"


def test_concurrent_completions_never_cause_a_server_error(upload: MultipartUpload) -> None:
    upload.put(1, b"x" * MIN_PART_BYTES)
    results = run_concurrently([upload.complete] * 4)
    errors = {error.response["Error"]["Code"] for error in results if isinstance(error, ClientError)}
    assert errors <= {"NoSuchUpload"}
    assert len({etag for etag in results if isinstance(etag, str)}) == 1


class _AbortDuringRead:
    """Abort an upload in another thread when a part is read for the first time.

    If the abort does not wait for the end of the read, it closes the parts before the read continues.
    """

    def __init__(self, upload: MultipartUpload, patch: pytest.MonkeyPatch) -> None:
        self.error = ""
        self._thread = threading.Thread(target=self._abort, args=[upload])
        read = FakeMultipart.complete

        def complete(multipart: FakeMultipart, body: Any) -> Any:  # noqa: ANN401  (moto's types)
            self._thread.start()
            self._thread.join(LONGER_THAN_AN_ABORT_SECONDS)
            return read(multipart, body)

        patch.setattr(FakeMultipart, "complete", complete)

    def _abort(self, upload: MultipartUpload) -> None:
        try:
            upload.s3.abort_multipart_upload(**upload.arguments)
        except ClientError as error:
            self.error = error.response["Error"]["Code"]

    def wait(self) -> str:
        """Wait for the end of the abort, and return its error code."""
        self._thread.join()
        return self.error


def test_abort_waits_for_a_completion_that_reads_the_parts(
    upload: MultipartUpload, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload.put(1, b"abc")
    abort = _AbortDuringRead(upload, monkeypatch)

    upload.complete()

    assert abort.wait() == "NoSuchUpload"
    assert upload.s3.get_object(Bucket="parts", Key=upload.arguments["Key"])["Body"].read() == b"abc"
