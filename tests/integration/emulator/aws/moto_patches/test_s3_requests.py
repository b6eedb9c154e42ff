import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import httpx2
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.emulator.aws.cloud import LocalCloud
from tests.bench.artifacts.object_store import ObjectStore

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET, KEY = "files-of-users", "ada/größe (1)+%20.txt"
LARGE = 17 << 20  # more than one piece of a stored object


@pytest.fixture
def s3(cloud: LocalCloud) -> "S3Client":
    assert cloud.endpoint_url
    client = boto3.client("s3", config=Config(signature_version="s3v4"))
    client.create_bucket(Bucket=BUCKET)
    return client


@pytest.fixture
def connections(s3: "S3Client", monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The addresses that this process connects to."""
    assert s3
    addresses: list[object] = []
    connect = socket.socket.connect

    def record(self: socket.socket, address: object) -> None:
        addresses.append(address)
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", record)
    return addresses


def test_requests_with_bodies_in_memory_need_no_connection(s3: "S3Client", connections: list[object]) -> None:
    s3.put_object(Bucket=BUCKET, Key=KEY, Body=b"content", Metadata={"under_score": "1"}, Tagging="a=b")

    found = s3.get_object(Bucket=BUCKET, Key=KEY, Range="bytes=3-")
    assert (found["Body"].read(), found["ContentRange"]) == (b"tent", "bytes 3-6/7")
    head = s3.head_object(Bucket=BUCKET, Key=KEY)
    assert (head["ContentLength"], head["Metadata"]) == (7, {"under_score": "1"})
    assert [each["Key"] for each in s3.list_objects_v2(Bucket=BUCKET, Prefix="ada/")["Contents"]] == [KEY]
    assert s3.get_object_tagging(Bucket=BUCKET, Key=KEY)["TagSet"] == [{"Key": "a", "Value": "b"}]
    with pytest.raises(s3.exceptions.NoSuchKey):
        s3.get_object(Bucket=BUCKET, Key="missing")
    assert connections == []


def test_large_object_is_read_in_pieces(s3: "S3Client", connections: list[object]) -> None:
    content = os.urandom(LARGE)
    s3.put_object(Bucket=BUCKET, Key=KEY, Body=content)

    body = s3.get_object(Bucket=BUCKET, Key=KEY)["Body"]
    assert b"".join(body.iter_chunks(1 << 20)) == content
    interrupted = s3.get_object(Bucket=BUCKET, Key=KEY)["Body"]
    assert interrupted.read(10) == content[:10]
    interrupted.close()
    assert connections == []


def test_body_from_a_file_is_sent_over_a_connection(s3: "S3Client", connections: list[object], tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    with (tmp_path / "file").open("rb") as file:
        s3.put_object(Bucket=BUCKET, Key=KEY, Body=file)

    assert s3.get_object(Bucket=BUCKET, Key=KEY)["Body"].read() == b"content"
    assert len(connections) == 1


def test_request_with_a_wrong_signature_is_refused(connections: list[object]) -> None:
    other = boto3.client("s3", aws_secret_access_key="other", aws_access_key_id="AKIASATCHELLOCAL0000")
    with pytest.raises(ClientError, match="SignatureDoesNotMatch"):
        other.get_object(Bucket=BUCKET, Key=KEY)
    assert connections == []


def test_presigned_url_and_other_processes_use_connections(s3: "S3Client", connections: list[object]) -> None:
    s3.put_object(Bucket=BUCKET, Key=KEY, Body=b"content")
    url = s3.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": KEY})

    assert httpx2.get(url, timeout=60).content == b"content"
    assert len(connections) == 1


def test_requests_of_many_threads_are_answered(s3: "S3Client", connections: list[object]) -> None:
    client = boto3.client("s3", config=Config(max_pool_connections=1))

    def write(number: int) -> None:
        client.put_object(Bucket=BUCKET, Key=f"many/{number}", Body=b"x" * number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    sizes = {each["Key"]: each["Size"] for each in s3.list_objects_v2(Bucket=BUCKET, Prefix="many/")["Contents"]}
    assert sizes == {f"many/{number}": number for number in range(20)}
    assert connections == []


def test_other_servers_get_the_whole_body(cloud: LocalCloud) -> None:
    assert cloud.endpoint_url
    with ObjectStore() as store:
        threading.Thread(target=store.serve_forever, args=(0.05,), daemon=True).start()
        client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{store.server_port}", config=Config(read_timeout=5))
        client.put_object(Bucket=BUCKET, Key="small", Body=b"abc")
        client.close()
        store.shutdown()
        assert store.take_count() == 3
