"""An object of 96 MiB, in parts of 16: the memory of this process, which moto shares, stays below a few parts."""

import hashlib
from collections.abc import Iterator
from typing import Any

import boto3
import httpx2
import pytest
from botocore.config import Config

from local.aws import resources
from local.aws.cloud import LocalCloud
from tests.memory import MemoryGrowth

S3 = Any  # whose arguments come as mappings here
MIB = 1 << 20
PART, PARTS = 16 * MIB, 6
MOST_GROWTH = 48  # MiB
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
    """Make the object, and tell by how many MiB memory grew while it was made of its parts."""
    upload = s3.create_multipart_upload(**OBJECT, ContentType="x/y")["UploadId"]
    parts: list[Any] = []
    for number in range(1, PARTS + 1):
        sent = s3.upload_part(**OBJECT, UploadId=upload, PartNumber=number, Body=body_of(number))
        parts.append({"PartNumber": number, "ETag": sent["ETag"]})
    growth = MemoryGrowth()
    s3.complete_multipart_upload(**OBJECT, UploadId=upload, MultipartUpload={"Parts": parts})
    yield growth.mebibytes()
    s3.delete_object(**OBJECT)


def link(s3: S3) -> str:
    return str(s3.generate_presigned_url("get_object", Params=OBJECT))


def test_it_is_made_of_its_parts_without_being_held(s3: S3, growth: float) -> None:
    assert growth < MOST_GROWTH
    head = s3.head_object(**OBJECT)
    assert (head["ContentLength"], head["ContentType"]) == (PART * PARTS, "x/y")
    assert head["ETag"].strip('"').endswith(f"-{PARTS}")


def test_it_is_sent_whole_without_being_held(s3: S3, growth: float) -> None:
    assert growth < MOST_GROWTH
    expected, got = hashlib.sha256(), hashlib.sha256()
    for number in range(1, PARTS + 1):
        expected.update(body_of(number))
    sent = MemoryGrowth()
    with httpx2.stream("GET", link(s3)) as answer:
        assert answer.headers["content-length"] == str(PART * PARTS)
        for piece in answer.iter_bytes():
            got.update(piece)
    assert got.digest() == expected.digest()
    assert sent.mebibytes() < MOST_GROWTH


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        (f"bytes={PART - 1}-{PART}", PART - 1, PART),
        (f"bytes=-{3}", PART * PARTS - 3, PART * PARTS - 1),
        (f"bytes={PART * PARTS - 2}-", PART * PARTS - 2, PART * PARTS - 1),
    ],
)
def test_a_range_of_it_is_that_range(s3: S3, growth: float, asked: str, first: int, last: int) -> None:
    assert growth < MOST_GROWTH
    answer = httpx2.get(link(s3), headers={"Range": asked})
    expected = bytes(at // PART + 1 for at in range(first, last + 1))
    assert (answer.status_code, answer.content) == (206, expected)
    assert answer.headers["content-range"] == f"bytes {first}-{last}/{PART * PARTS}"
    assert answer.headers["content-length"] == str(len(expected))


def test_a_range_behind_its_end_cannot_be_had(s3: S3, growth: float) -> None:
    assert growth < MOST_GROWTH
    assert httpx2.get(link(s3), headers={"Range": f"bytes={PART * PARTS}-"}).status_code == 416
