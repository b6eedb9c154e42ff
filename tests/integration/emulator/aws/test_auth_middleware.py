"""Authentication of requests to the loopback server. The unit tests show what exactly a signature covers."""

import http.client
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from tests.integration.emulator.cloud_driver import CloudDriver

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

FORBIDDEN = 403
TARGET = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"}


@pytest.fixture(scope="module")
def s3(cloud: LocalCloud) -> "S3Client":
    client = boto3.client("s3", config=Config(signature_version="s3v4"))
    assert client.meta.endpoint_url == cloud.endpoint_url
    resources.create_bucket("guarded", {})
    client.put_object(Bucket="guarded", Key="a.csv", Body=b"a,b", Metadata={"file_key": "f1"})
    return client


@pytest.fixture
def presigned_url(s3: "S3Client") -> str:
    return s3.generate_presigned_url("get_object", Params={"Bucket": "guarded", "Key": "a.csv"}, ExpiresIn=60)


@pytest.fixture
def sts_keys(driver: CloudDriver) -> dict[str, Any]:
    """Return the arguments of a boto3 client that uses keys of the emulated STS."""
    issued = boto3.client("sts").assume_role(RoleArn=driver.role, RoleSessionName="call")["Credentials"]
    return {
        "aws_access_key_id": issued["AccessKeyId"],
        "aws_secret_access_key": issued["SecretAccessKey"],
        "aws_session_token": issued["SessionToken"],
    }


def status(url: str, method: str = "GET", **headers: str) -> int:
    """Send a request with these headers, which may include a forged Host, and return the response's status."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    try:
        headers_to_send = {"Host": parts.netloc, "Content-Length": "0", **headers}
        connection.putrequest(method, url.removeprefix(f"http://{parts.netloc}"), skip_host=True)
        for name, value in headers_to_send.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("service", ["s3", "dynamodb", "stepfunctions", "sts"])
def test_client_with_the_emulators_key_is_accepted(cloud: LocalCloud, s3: "S3Client", service: str) -> None:
    calls = {"s3": "list_buckets", "dynamodb": "list_tables", "stepfunctions": "list_state_machines"}
    client: Any = boto3.client(service, endpoint_url=cloud.endpoint_url)  # type: ignore[call-overload]
    assert s3
    assert getattr(client, calls.get(service, "get_caller_identity"))()


def test_client_with_sts_keys_is_accepted(cloud: LocalCloud, s3: "S3Client", sts_keys: dict[str, Any]) -> None:
    assert s3
    store = boto3.client("s3", endpoint_url=cloud.endpoint_url, **sts_keys)
    store.put_object(Bucket="guarded", Key="ü b", Body=b"x" * 100_000, Metadata={"file_key": "f2"})
    assert store.head_object(Bucket="guarded", Key="ü b")["Metadata"] == {"file_key": "f2"}
    boto3.client("dynamodb", endpoint_url=cloud.endpoint_url, **sts_keys).list_tables()


@pytest.mark.parametrize(("service", "call"), [("s3", "list_buckets"), ("dynamodb", "list_tables")])
@pytest.mark.parametrize("key_id", ["AKIAGUESSEDBYANATTACKER", None])
def test_client_with_another_key_or_secret_is_rejected(
    cloud: LocalCloud, service: str, call: str, key_id: str | None
) -> None:
    client: Any = boto3.client(  # type: ignore[call-overload]
        service,
        aws_access_key_id=key_id
        or cloud.environ["AWS_ACCESS_KEY_ID"],  # the emulator's key id is not secret: presigned URLs contain it
        aws_secret_access_key="guess",
        endpoint_url=cloud.endpoint_url,
    )
    with pytest.raises(ClientError) as raised:
        getattr(client, call)()
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == FORBIDDEN


def test_request_without_a_signature_is_rejected(cloud: LocalCloud) -> None:
    assert status(cloud.endpoint_url + "/", "POST", **TARGET) == FORBIDDEN
    assert status(cloud.endpoint_url + "/guarded/a.csv") == FORBIDDEN
    assert status(cloud.endpoint_url + "/latest/meta-data/iam/security-credentials/") == FORBIDDEN


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "s3.amazonaws.com"]
)
def test_foreign_host_name_is_rejected(presigned_url: str, host: str) -> None:
    assert status(presigned_url, Host=host.format(port=urlsplit(presigned_url).port)) == FORBIDDEN


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://localhost.evil.example", "null", "", "file://", "http://[::1"]
)
def test_foreign_origin_is_rejected_even_with_a_presigned_url(presigned_url: str, origin: str) -> None:
    assert status(presigned_url, Origin=origin) == FORBIDDEN
    assert status(presigned_url, "OPTIONS", Origin=origin) == FORBIDDEN


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8000", "http://localhost:8000"])
def test_local_page_may_use_a_presigned_url(presigned_url: str, origin: str) -> None:
    assert status(presigned_url, Origin=origin) == 200


def test_preflight_is_accepted_for_a_presigned_url_only(cloud: LocalCloud, s3: "S3Client") -> None:
    preflight = {"Origin": "http://localhost:8000", "Access-Control-Request-Method": "PUT"}
    parameters = {"Bucket": "guarded", "Key": "new.csv", "ContentType": "text/csv"}
    assert status(s3.generate_presigned_url("put_object", Params=parameters), "OPTIONS", **preflight) == 200
    assert status(cloud.endpoint_url + "/guarded/new.csv", "OPTIONS", **preflight) == FORBIDDEN
    assert status(cloud.endpoint_url + "/", "OPTIONS", **preflight) == FORBIDDEN


@pytest.mark.parametrize("path", ["/moto-api/reset", "/moto-api/data.json", "/moto%2Dapi/reset"])
def test_moto_control_pages_are_closed_even_with_the_emulators_key(cloud: LocalCloud, path: str) -> None:
    environ, host = cloud.environ, urlsplit(cloud.endpoint_url).netloc
    request = AWSRequest(method="POST", url=cloud.endpoint_url + path, headers={"Host": host}, data=b"")
    credentials = Credentials(environ["AWS_ACCESS_KEY_ID"], environ["AWS_SECRET_ACCESS_KEY"])
    SigV4Auth(credentials, "s3", "us-east-1").add_auth(request)
    assert status(cloud.endpoint_url + path, "POST", **dict(request.headers.items())) == FORBIDDEN
