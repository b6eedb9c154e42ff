"""An object of 96 MiB in parts of 16 MiB. The memory of this process, which includes moto, grows by a few parts."""

import hashlib
from collections.abc import Iterator
from typing import Any

import boto3
import httpx2
import pytest
from botocore.config import Config

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from tests.memory import MemoryGrowth

S3 = Any  # untyped, because the tests pass mappings as arguments
MIB = 1 << 20
PART, PARTS = 16 * MIB, 6
MAX_GROWTH = 48  # MiB
OBJECT = {"Bucket": "large", "Key": "alice/large.bin"}


def body_of(number: int) -> bytes:
    return bytes([number]) * PART


@pytest.fixture(scope="module")
def s3(cloud: LocalCloud) -> S3:
    client: S3 = boto3.client("s3", config=Config(signature_version="s3v4"))
    assert client.meta.endpoint_url == cloud.endpoint_url
    resources.create_bucket("large", {"VersioningConfiguration": {"Status": "Enabled"}})
    return client


@pytest.fixture(scope="module")
def growth(s3: S3) -> Iterator[float]:
    """Upload the object, and yield by how many MiB memory grew while its parts were assembled."""
    upload = s3.create_multipart_upload(**OBJECT, ContentType="x/y")["UploadId"]
    parts: list[Any] = []
    for number in range(1, PARTS + 1):
        sent = s3.upload_part(**OBJECT, UploadId=upload, PartNumber=number, Body=body_of(number))
        parts.append({"PartNumber": number, "ETag": sent["ETag"]})
    growth = MemoryGrowth()
    s3.complete_multipart_upload(**OBJECT, UploadId=upload, MultipartUpload={"Parts": parts})
    yield growth.mebibytes()
    s3.delete_object(**OBJECT)


def presigned_url(s3: S3) -> str:
    return str(s3.generate_presigned_url("get_object", Params=OBJECT))


def test_parts_are_assembled_without_loading_the_object(s3: S3, growth: float) -> None:
    assert growth < MAX_GROWTH
    head = s3.head_object(**OBJECT)
    assert (head["ContentLength"], head["ContentType"]) == (PART * PARTS, "x/y")
    assert head["ETag"].strip('"').endswith(f"-{PARTS}")


def test_object_is_sent_without_loading_it(s3: S3, growth: float) -> None:
    assert growth < MAX_GROWTH
    expected, received = hashlib.sha256(), hashlib.sha256()
    for number in range(1, PARTS + 1):
        expected.update(body_of(number))
    sent = MemoryGrowth()
    with httpx2.stream("GET", presigned_url(s3), timeout=60) as response:
        assert response.headers["content-length"] == str(PART * PARTS)
        for piece in response.iter_bytes():
            received.update(piece)
    assert received.digest() == expected.digest()
    assert sent.mebibytes() < MAX_GROWTH


@pytest.mark.parametrize(
    ("requested", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        (f"bytes={PART - 1}-{PART}", PART - 1, PART),
        (f"bytes=-{3}", PART * PARTS - 3, PART * PARTS - 1),
        (f"bytes={PART * PARTS - 2}-", PART * PARTS - 2, PART * PARTS - 1),
    ],
)
def test_range_request_returns_the_range(s3: S3, growth: float, requested: str, first: int, last: int) -> None:
    assert growth < MAX_GROWTH
    response = httpx2.get(presigned_url(s3), headers={"Range": requested}, timeout=60)
    expected = bytes(at // PART + 1 for at in range(first, last + 1))
    assert (response.status_code, response.content) == (206, expected)
    assert response.headers["content-range"] == f"bytes {first}-{last}/{PART * PARTS}"
    assert response.headers["content-length"] == str(len(expected))


def test_range_behind_the_end_is_rejected(s3: S3, growth: float) -> None:
    assert growth < MAX_GROWTH
    assert httpx2.get(presigned_url(s3), headers={"Range": f"bytes={PART * PARTS}-"}, timeout=60).status_code == 416
