import base64
import hashlib
import itertools
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.aws import resources
from local.aws.cloud import LocalCloud
from tests.integration.aws.makers import at_once

S3 = Any  # whose arguments come as mappings here
LEAST = 5 << 20
_names = itertools.count()


def sha256(body: bytes) -> str:
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


class Sending:
    """One upload, as a client has it in hand."""

    def __init__(self, s3: S3) -> None:
        self.s3 = s3
        self.where = {"Bucket": "parts", "Key": f"alice/{next(_names)}"}
        begun = s3.create_multipart_upload(**self.where, ChecksumAlgorithm="SHA256")
        self.where["UploadId"] = begun["UploadId"]

    def send(self, number: int, body: bytes, told: str | None = None) -> Any:  # noqa: ANN401  (boto3's answer)
        sent = {"PartNumber": number, "Body": body, "ChecksumSHA256": told or sha256(body)}
        return self.s3.upload_part(**self.where, **sent)

    def listed(self, **more: int) -> list[dict[str, Any]]:
        return [dict(part) for part in self.s3.list_parts(**self.where, **more).get("Parts", [])]

    def complete(self) -> str:
        parts = [{"PartNumber": part["PartNumber"], "ETag": part["ETag"]} for part in self.listed()]
        done: Any = self.s3.complete_multipart_upload(**self.where, MultipartUpload={"Parts": parts})
        return str(done["ETag"])


@pytest.fixture(scope="module")
def s3(cloud: LocalCloud) -> S3:
    client: S3 = boto3.client("s3", config=Config(retries={"total_max_attempts": 1}))
    assert client.meta.endpoint_url == cloud.endpoint_url
    resources.create_bucket("parts", {})
    return client


@pytest.fixture
def sending(s3: S3) -> Sending:
    return Sending(s3)


def code(raised: pytest.ExceptionInfo[ClientError]) -> str:
    return raised.value.response["Error"]["Code"]


def test_bytes_that_are_not_those_of_the_checksum_are_refused(sending: Sending) -> None:
    with pytest.raises(ClientError) as raised:
        sending.send(1, b"abd", told=sha256(b"abc"))
    assert code(raised) == "BadDigest"
    assert sending.listed() == []


def test_parts_are_listed_with_their_checksums_and_by_number_even_where_some_have_not_come(sending: Sending) -> None:
    for number in (2, 5, 9):
        sending.send(number, b"%d" % number)

    assert [(part["PartNumber"], part["ChecksumSHA256"]) for part in sending.listed()] == [
        (number, sha256(b"%d" % number)) for number in (2, 5, 9)
    ]
    assert [part["PartNumber"] for part in sending.listed(PartNumberMarker=2)] == [5, 9]
    first = sending.s3.list_parts(**sending.where, MaxParts=2)
    assert (first["IsTruncated"], first["NextPartNumberMarker"]) == (True, 5)


def test_an_upload_that_was_given_up_is_no_such_upload(sending: Sending) -> None:
    sending.s3.abort_multipart_upload(**sending.where)
    for ask in (lambda: sending.send(1, b"x"), sending.listed, sending.complete):
        with pytest.raises(ClientError) as raised:
            ask()
        assert code(raised) == "NoSuchUpload"


def test_of_two_completions_at_once_neither_is_an_error_of_the_server(sending: Sending) -> None:
    sending.send(1, b"x" * LEAST)
    came = at_once([sending.complete] * 4)
    errors = {error.response["Error"]["Code"] for error in came if isinstance(error, ClientError)}
    assert errors <= {"NoSuchUpload"}
    assert len({etag for etag in came if isinstance(etag, str)}) == 1
