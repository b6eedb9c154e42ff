import io
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from tests.integration.aws.factories import run_concurrently

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET = "versions"


@pytest.fixture
def frequent_thread_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def s3(cloud: LocalCloud) -> "S3Client":
    assert cloud.endpoint_url
    resources.create_bucket(BUCKET, {"VersioningConfiguration": {"Status": "Enabled"}})
    return boto3.client("s3", config=Config(retries={"total_max_attempts": 1}))


def test_listing_versions_does_not_copy_objects(s3: "S3Client") -> None:
    for number in range(4):
        s3.put_object(Bucket=BUCKET, Key=f"large-{number}", Body=bytes(16 << 20))
    tracemalloc.start()
    listed = s3.list_object_versions(Bucket=BUCKET, Prefix="large-1")["Versions"]
    assert [(version["Key"], version["Size"], version["IsLatest"]) for version in listed] == [
        ("large-1", 16 << 20, True)
    ]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20


@pytest.mark.usefixtures("frequent_thread_switches")
def test_lookups_and_listings_succeed_during_writes_and_removals(s3: "S3Client") -> None:
    def write_and_remove() -> None:
        for number in range(40):
            written = s3.put_object(Bucket=BUCKET, Key=f"{number % 3}", Body=io.BytesIO(b"x"))
            s3.delete_object(Bucket=BUCKET, Key=f"{number % 3}", VersionId=written["VersionId"])

    no_such_key = s3.exceptions.NoSuchKey  # created before the threads start: botocore may create the class twice

    def read() -> None:
        for number in range(40):
            s3.list_object_versions(Bucket=BUCKET)
            s3.list_objects_v2(Bucket=BUCKET, Prefix="")
            with suppress(no_such_key):
                s3.get_object(Bucket=BUCKET, Key=f"{number % 3}")

    assert run_concurrently([write_and_remove, read] * 2) == [None] * 4
