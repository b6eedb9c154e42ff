"""A bucket is emptied when CloudFormation deletes it, and the result is sent to CloudFormation."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from satchel.adapters.bucket_emptier import BucketEmptier

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET = "page"
MINUTE_MS = 60_000


class Results(HTTPServer):
    """The URL to which custom resources send their results."""

    def __init__(self) -> None:
        self.received: list[tuple[str, dict[str, Any]]] = []
        received = self.received

        class Receiver(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.append((self.headers["Content-Type"], json.loads(body)))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Receiver)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/result?signature=x"


@pytest.fixture
def results() -> Iterator[Results]:
    with Results() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def s3() -> Iterator["S3Client"]:
    with mock_aws(config={"core": {"passthrough": {"urls": [r"http://127\.0\.0\.1"], "services": []}}}):
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        yield client
        versions = boto3.resource("s3").Bucket(BUCKET).object_versions
        if BUCKET in {each["Name"] for each in client.list_buckets()["Buckets"]}:
            versions.delete()
            client.delete_bucket_tagging(Bucket=BUCKET)
            client.delete_bucket(Bucket=BUCKET)


def tag(s3: "S3Client") -> None:
    s3.put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": [{"Key": "satchel:empty-on-delete", "Value": "true"}]})


def send(s3: "S3Client", results: Results, request: str, *, remaining_ms: int = MINUTE_MS) -> dict[str, Any]:
    event = {
        "RequestType": request,
        "ResponseURL": results.url,
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "Emptied",
        "ResourceProperties": {"Bucket": BUCKET},
    }
    BucketEmptier(s3)(event, remaining_ms=lambda: remaining_ms)
    ((content_type, result),) = results.received
    assert content_type == ""
    assert (result["StackId"], result["RequestId"], result["LogicalResourceId"]) == ("stack", "request", "Emptied")
    assert result["PhysicalResourceId"] == BUCKET
    return result


def count_versions(s3: "S3Client") -> int:
    pages = s3.get_paginator("list_object_versions").paginate(Bucket=BUCKET)
    return sum(len(page.get("Versions", [])) + len(page.get("DeleteMarkers", [])) for page in pages)


def test_deletion_empties_a_bucket_of_over_a_thousand_files(s3: "S3Client", results: Results) -> None:
    tag(s3)
    for number in range(1005):
        s3.put_object(Bucket=BUCKET, Key=f"assets/{number}.js", Body=b"x")
    assert send(s3, results, "Delete")["Status"] == "SUCCESS"
    s3.delete_bucket(Bucket=BUCKET)


def test_deletion_removes_all_versions_and_delete_markers(s3: "S3Client", results: Results) -> None:
    tag(s3)
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    for body in (b"1", b"2"):
        s3.put_object(Bucket=BUCKET, Key="a", Body=body)
    s3.delete_object(Bucket=BUCKET, Key="a")
    assert count_versions(s3) == 3
    assert send(s3, results, "Delete")["Status"] == "SUCCESS"
    assert count_versions(s3) == 0


def test_objects_remain_if_the_bucket_is_no_longer_tagged(s3: "S3Client", results: Results) -> None:
    """CloudFormation deletes the custom resource also if an update changes removal_policy to retain."""
    s3.put_object(Bucket=BUCKET, Key="a", Body=b"1")
    assert send(s3, results, "Delete")["Status"] == "SUCCESS"
    assert count_versions(s3) == 1


@pytest.mark.parametrize("request_type", ["Create", "Update"])
def test_creation_and_update_delete_nothing(s3: "S3Client", results: Results, request_type: str) -> None:
    tag(s3)
    s3.put_object(Bucket=BUCKET, Key="a", Body=b"1")
    assert send(s3, results, request_type)["Status"] == "SUCCESS"
    assert count_versions(s3) == 1


def test_missing_bucket_is_a_success(s3: "S3Client", results: Results) -> None:
    s3.delete_bucket(Bucket=BUCKET)
    assert send(s3, results, "Delete")["Status"] == "SUCCESS"


def test_timeout_is_reported_before_it_occurs(s3: "S3Client", results: Results) -> None:
    tag(s3)
    s3.put_object(Bucket=BUCKET, Key="a", Body=b"1")
    result = send(s3, results, "Delete", remaining_ms=1000)
    assert result["Status"] == "FAILED"
    assert result["Reason"] == "page has more objects than one run can delete: delete the stack again"


def test_refused_deletion_is_reported_as_failure(s3: "S3Client", results: Results) -> None:
    tag(s3)
    s3.put_object(Bucket=BUCKET, Key="a", Body=b"1")
    denied = {"Code": "AccessDenied", "Message": "no"}
    s3.meta.events.register("after-call.s3.DeleteObjects", lambda parsed, **_: parsed.update(Errors=[denied]))
    result = send(s3, results, "Delete")
    assert (result["Status"], result["Reason"]) == ("FAILED", "1 objects of page were not deleted: no")
