import io
from typing import Any

import boto3
import httpx2
from botocore.config import Config

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud

SIZE = 48 << 20  # more than all network buffers hold
OBJECT = {"Bucket": "removed", "Key": "alice/large.bin"}


def test_removed_object_is_sent_completely_to_a_running_download(cloud: LocalCloud) -> None:
    assert cloud.endpoint_url
    resources.create_bucket(OBJECT["Bucket"], {"VersioningConfiguration": {"Status": "Enabled"}})
    s3: Any = boto3.client("s3", config=Config(signature_version="s3v4"))  # untyped, because the test passes a mapping
    version = s3.put_object(**OBJECT, Body=io.BytesIO(bytes(SIZE)))["VersionId"]
    with httpx2.stream("GET", s3.generate_presigned_url("get_object", Params=OBJECT), timeout=60) as response:
        pieces = response.iter_raw()
        received = len(next(pieces))
        s3.delete_object(**OBJECT, VersionId=version)
        received += sum(map(len, pieces))
    assert received == SIZE
    assert "Contents" not in s3.list_objects_v2(Bucket=OBJECT["Bucket"])
