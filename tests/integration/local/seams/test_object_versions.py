import io
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config

from local.aws import resources
from local.aws.cloud import LocalCloud
from tests.integration.aws.makers import at_once

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET = "versions"


@pytest.fixture
def threads_that_meet_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def s3(cloud: LocalCloud) -> "S3Client":
    assert cloud.endpoint_url
    resources.create_bucket(BUCKET, {"VersioningConfiguration": {"Status": "Enabled"}})
    return boto3.client("s3", config=Config(retries={"total_max_attempts": 1}))


def test_versions_are_listed_without_the_bytes_of_all_objects(s3: "S3Client") -> None:
    for number in range(4):
        s3.put_object(Bucket=BUCKET, Key=f"large-{number}", Body=bytes(16 << 20))
    tracemalloc.start()
    listed = s3.list_object_versions(Bucket=BUCKET, Prefix="large-1")["Versions"]
    assert [(version["Key"], version["Size"], version["IsLatest"]) for version in listed] == [
        ("large-1", 16 << 20, True)
    ]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 16 << 20


@pytest.mark.usefixtures("threads_that_meet_often")
def test_objects_and_versions_are_found_and_listed_while_others_write_and_remove(s3: "S3Client") -> None:
    def write_and_remove() -> None:
        for number in range(40):
            made = s3.put_object(Bucket=BUCKET, Key=f"{number % 3}", Body=io.BytesIO(b"x"))
            s3.delete_object(Bucket=BUCKET, Key=f"{number % 3}", VersionId=made["VersionId"])

    no_such_key = s3.exceptions.NoSuchKey  # the first of two threads to ask may get a class that is then made anew

    def look() -> None:
        for number in range(40):
            s3.list_object_versions(Bucket=BUCKET)
            s3.list_objects_v2(Bucket=BUCKET, Prefix="")
            with suppress(no_such_key):
                s3.get_object(Bucket=BUCKET, Key=f"{number % 3}")

    assert at_once([write_and_remove, look] * 2) == [None] * 4
