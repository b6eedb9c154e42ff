"""Who may speak to the loopback server; what exactly a signature covers is told in the unit tests."""

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

from local.aws import resources
from local.aws.cloud import LocalCloud
from tests.integration.local.workshop import Workshop

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

NOT_ALLOWED = 403
TARGET = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"}


@pytest.fixture(scope="module")
def s3(cloud: LocalCloud) -> "S3Client":
    client = boto3.client("s3", config=Config(signature_version="s3v4"))
    assert client.meta.endpoint_url == cloud.endpoint_url
    resources.create_bucket("gated", {})
    client.put_object(Bucket="gated", Key="a.csv", Body=b"a,b", Metadata={"file_key": "f1"})
    return client


@pytest.fixture
def link(s3: "S3Client") -> str:
    return s3.generate_presigned_url("get_object", Params={"Bucket": "gated", "Key": "a.csv"}, ExpiresIn=60)


@pytest.fixture
def keys(workshop: Workshop) -> dict[str, Any]:
    """The arguments of a boto3 client that acts with keys of our STS."""
    issued = boto3.client("sts").assume_role(RoleArn=workshop.role, RoleSessionName="call")["Credentials"]
    return {
        "aws_access_key_id": issued["AccessKeyId"],
        "aws_secret_access_key": issued["SecretAccessKey"],
        "aws_session_token": issued["SessionToken"],
    }


def status(url: str, method: str = "GET", **headers: str) -> int:
    """Send what no decent client would send, the Host header as it is given."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    try:
        given = {"Host": parts.netloc, "Content-Length": "0", **headers}
        connection.putrequest(method, url.removeprefix(f"http://{parts.netloc}"), skip_host=True)
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("service", ["s3", "dynamodb", "stepfunctions", "sts"])
def test_a_client_with_our_own_keys_is_served(cloud: LocalCloud, s3: "S3Client", service: str) -> None:
    calls = {"s3": "list_buckets", "dynamodb": "list_tables", "stepfunctions": "list_state_machines"}
    client: Any = boto3.client(service, endpoint_url=cloud.endpoint_url)  # type: ignore[call-overload]
    assert s3
    assert getattr(client, calls.get(service, "get_caller_identity"))()


def test_a_client_with_keys_of_our_sts_is_served(cloud: LocalCloud, s3: "S3Client", keys: dict[str, Any]) -> None:
    assert s3
    store = boto3.client("s3", endpoint_url=cloud.endpoint_url, **keys)
    store.put_object(Bucket="gated", Key="ü b", Body=b"x" * 100_000, Metadata={"file_key": "f2"})
    assert store.head_object(Bucket="gated", Key="ü b")["Metadata"] == {"file_key": "f2"}
    boto3.client("dynamodb", endpoint_url=cloud.endpoint_url, **keys).list_tables()


@pytest.mark.parametrize(("service", "call"), [("s3", "list_buckets"), ("dynamodb", "list_tables")])
@pytest.mark.parametrize("key_id", ["AKIAGUESSEDBYSOMEBODY", None])
def test_a_client_with_other_keys_is_refused(cloud: LocalCloud, service: str, call: str, key_id: str | None) -> None:
    client: Any = boto3.client(  # type: ignore[call-overload]
        service,
        aws_access_key_id=key_id or cloud.environ["AWS_ACCESS_KEY_ID"],  # ours is no secret: it stands in links
        aws_secret_access_key="guess",
        endpoint_url=cloud.endpoint_url,
    )
    with pytest.raises(ClientError) as raised:
        getattr(client, call)()
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == NOT_ALLOWED


def test_nobody_is_served_without_a_signature(cloud: LocalCloud) -> None:
    assert status(cloud.endpoint_url + "/", "POST", **TARGET) == NOT_ALLOWED
    assert status(cloud.endpoint_url + "/gated/a.csv") == NOT_ALLOWED
    assert status(cloud.endpoint_url + "/latest/meta-data/iam/security-credentials/") == NOT_ALLOWED


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "s3.amazonaws.com"]
)
def test_a_name_that_was_pointed_here_is_refused(link: str, host: str) -> None:
    assert status(link, Host=host.format(port=urlsplit(link).port)) == NOT_ALLOWED


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://localhost.evil.example", "null", "", "file://", "http://[::1"]
)
def test_a_page_from_elsewhere_is_refused_even_with_a_link(link: str, origin: str) -> None:
    assert status(link, Origin=origin) == NOT_ALLOWED
    assert status(link, "OPTIONS", Origin=origin) == NOT_ALLOWED


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8000", "http://localhost:8000"])
def test_our_own_page_may_follow_a_link(link: str, origin: str) -> None:
    assert status(link, Origin=origin) == 200


def test_a_browser_may_ask_before_it_follows_a_link_and_for_nothing_else(cloud: LocalCloud, s3: "S3Client") -> None:
    asked = {"Origin": "http://localhost:8000", "Access-Control-Request-Method": "PUT"}
    wanted = {"Bucket": "gated", "Key": "new.csv", "ContentType": "text/csv"}
    assert status(s3.generate_presigned_url("put_object", Params=wanted), "OPTIONS", **asked) == 200
    assert status(cloud.endpoint_url + "/gated/new.csv", "OPTIONS", **asked) == NOT_ALLOWED
    assert status(cloud.endpoint_url + "/", "OPTIONS", **asked) == NOT_ALLOWED


@pytest.mark.parametrize("path", ["/moto-api/reset", "/moto-api/data.json", "/moto%2Dapi/reset"])
def test_motos_control_pages_are_closed_even_to_our_own_keys(cloud: LocalCloud, path: str) -> None:
    environ, host = cloud.environ, urlsplit(cloud.endpoint_url).netloc
    request = AWSRequest(method="POST", url=cloud.endpoint_url + path, headers={"Host": host}, data=b"")
    ours = Credentials(environ["AWS_ACCESS_KEY_ID"], environ["AWS_SECRET_ACCESS_KEY"])
    SigV4Auth(ours, "s3", "us-east-1").add_auth(request)
    assert status(cloud.endpoint_url + path, "POST", **dict(request.headers.items())) == NOT_ALLOWED
