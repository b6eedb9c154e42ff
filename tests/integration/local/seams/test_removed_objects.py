import io
from typing import Any

import boto3
import httpx2
from botocore.config import Config

from local.aws import resources
from local.aws.cloud import LocalCloud

SIZE = 48 << 20  # more than all buffers on the way hold
OBJECT = {"Bucket": "removed", "Key": "alice/large.bin"}


def test_an_object_that_is_removed_is_sent_to_its_end_to_who_has_begun(cloud: LocalCloud) -> None:
    assert cloud.endpoint_url
    resources.create_bucket(OBJECT["Bucket"], {"VersioningConfiguration": {"Status": "Enabled"}})
    s3: Any = boto3.client("s3", config=Config(signature_version="s3v4"))  # whose arguments come as a mapping
    version = s3.put_object(**OBJECT, Body=io.BytesIO(bytes(SIZE)))["VersionId"]
    with httpx2.stream("GET", s3.generate_presigned_url("get_object", Params=OBJECT)) as answer:
        pieces = answer.iter_raw()
        got = len(next(pieces))
        s3.delete_object(**OBJECT, VersionId=version)
        got += sum(map(len, pieces))
    assert got == SIZE
    assert "Contents" not in s3.list_objects_v2(Bucket=OBJECT["Bucket"])
