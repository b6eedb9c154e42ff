"""Presigned URLs against the running server. The unit tests show what exactly a signature covers."""

import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from tests.integration.emulator.cloud_driver import CloudDriver

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

KEY = "alice@example.com/uploads/20251121/f1/a b+ü.csv"


@pytest.fixture(scope="module")
def s3(cloud: LocalCloud) -> "S3Client":
    client = boto3.client("s3", config=Config(signature_version="s3v4"))
    assert client.meta.endpoint_url == cloud.endpoint_url
    resources.create_bucket("bucket", {"VersioningConfiguration": {"Status": "Enabled"}})
    client.put_object(Bucket="bucket", Key=KEY, Body=b"a,b\n1,2\n")
    return client


def presigned_url(client: Any, operation: str = "get_object", expires: int = 60, **parameters: str) -> str:  # noqa: ANN401  (any S3 client)
    return str(
        client.generate_presigned_url(
            operation,
            Params={"Bucket": "bucket", "Key": KEY, **parameters},
            ExpiresIn=expires,
        ),
    )


def fetch(url: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    """Return status and body of the response. Header names are written with underscores."""
    header_names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data=body, method=method, headers=header_names)  # noqa: S310  (loopback)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310  (loopback)
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_presigned_url_returns_the_object_and_ranges_of_it(s3: "S3Client") -> None:
    assert fetch(presigned_url(s3)) == (200, b"a,b\n1,2\n")
    assert fetch(presigned_url(s3, ResponseContentType="text/csv"), Range="bytes=4-6") == (206, b"1,2")


def test_altered_url_is_rejected(s3: "S3Client") -> None:
    status, body = fetch(presigned_url(s3).replace("alice", "bob"))
    assert status == 403
    assert b"SignatureDoesNotMatch" in body


def test_unsigned_request_is_rejected(s3: "S3Client") -> None:
    bare = presigned_url(s3).partition("?")[0]
    assert [fetch(bare, method)[0] for method in ("GET", "HEAD", "PUT", "DELETE")] == [403] * 4


def test_signature_version_2_is_rejected(s3: "S3Client") -> None:
    assert s3
    version_2_client = boto3.client("s3", config=Config(signature_version="s3"))
    assert fetch(presigned_url(version_2_client))[0] == 403


def test_upload_url_fixes_the_content_type(s3: "S3Client") -> None:
    url = presigned_url(s3, "put_object", Key="alice/new.csv", ContentType="text/csv")
    assert fetch(url, "PUT", b"x" * 1_000_000, Content_Type="text/html")[0] == 403
    assert fetch(url, "PUT", b"new", Content_Type="text/csv")[0] == 200
    assert s3.get_object(Bucket="bucket", Key="alice/new.csv")["ContentType"] == "text/csv"


def test_part_of_a_multipart_upload_can_be_put_by_url(s3: "S3Client") -> None:
    upload = s3.create_multipart_upload(Bucket="bucket", Key=KEY)["UploadId"]
    url = s3.generate_presigned_url(
        "upload_part",
        Params={"Bucket": "bucket", "Key": KEY, "UploadId": upload, "PartNumber": 1},
    )
    plain = {"Content_Type": "application/octet-stream"}  # moto rejects urllib's default, a form
    assert fetch(url, "PUT", b"part", **plain)[0] == 200
    assert fetch(url.replace("partNumber=1", "partNumber=2"), "PUT", b"part", **plain)[0] == 403


def test_keys_of_an_assumed_role_can_sign_a_url(s3: "S3Client", driver: CloudDriver) -> None:
    assert s3
    keys = boto3.client("sts").assume_role(RoleArn=driver.role, RoleSessionName="call")["Credentials"]
    scoped = boto3.client(
        "s3",
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["SessionToken"],
        config=Config(signature_version="s3v4"),
    )
    assert fetch(presigned_url(scoped))[0] == 200
