import json
import os
import threading
import time

import boto3
import pytest

from local.aws import resources
from local.aws.cloud import LocalCloud
from local.runners.context import LambdaContext
from tests.integration.local.workshop import Workshop, waiting_task


def test_this_process_and_others_see_the_same_table() -> None:
    keys = {
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    with LocalCloud() as cloud:
        resources.create_table("table", keys)
        boto3.client("dynamodb").put_item(TableName="table", Item={"pk": {"S": "here"}})
        remote = boto3.client("dynamodb", endpoint_url=cloud.endpoint_url)
        assert remote.scan(TableName="table")["Items"] == [{"pk": {"S": "here"}}]


def test_another_process_is_given_the_server_and_no_way_to_real_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "real")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAREAL")
    with LocalCloud() as cloud:
        assert cloud.environ["AWS_ENDPOINT_URL"] == cloud.endpoint_url
        assert cloud.environ["AWS_ACCESS_KEY_ID"] == os.environ["AWS_ACCESS_KEY_ID"] != "AKIAREAL"
        assert cloud.environ["AWS_SHARED_CREDENTIALS_FILE"] == os.devnull
        assert "AWS_PROFILE" not in os.environ
        assert "AWS_SESSION_TOKEN" not in os.environ
    assert os.environ["AWS_ACCESS_KEY_ID"] != "AKIAREAL"  # threads may outlive the cloud


def test_stopping_is_quick_and_ends_everything_even_in_the_middle_of_things(caplog: pytest.LogCaptureFixture) -> None:
    before = set(threading.enumerate())
    release, running = threading.Event(), threading.Event()

    def hold(_event: object, _context: LambdaContext) -> None:
        running.set()
        release.wait(20)

    cloud = LocalCloud()
    cloud.start()
    workshop = Workshop()
    name, tokens = workshop.token_taker()
    for _ in range(10):
        workshop.start({"Wait": waiting_task(name)})
    for _ in range(10):
        tokens.get(timeout=10)
    workshop.lambda_.invoke(FunctionName=workshop.function(hold), InvocationType="Event")
    assert running.wait(5)
    started = time.monotonic()
    cloud.stop()
    assert time.monotonic() - started < 10
    left = {thread.name.partition("-")[0] for thread in set(threading.enumerate()) - before}
    assert left == {"lambda"}  # the one handler that cannot be interrupted
    assert "left behind: 1 handlers and 0 threads" in caplog.text
    release.set()


def test_a_cloud_begins_empty_and_forgets_what_it_held() -> None:
    for _ in range(2):
        with LocalCloud():
            assert boto3.client("s3").list_buckets()["Buckets"] == []
            resources.create_bucket("bucket", {})
            name = Workshop().function(lambda _event, _context: 1)
    with LocalCloud():
        client = boto3.client("lambda")
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.invoke(FunctionName=name)


def test_a_process_has_one_cloud_at_a_time() -> None:
    with LocalCloud(), pytest.raises(RuntimeError, match="one local cloud"):
        LocalCloud().start()
    with pytest.raises(RuntimeError, match="not running"):
        _ = LocalCloud().endpoint_url


def test_stopping_twice_is_stopping_once() -> None:
    cloud = LocalCloud()
    cloud.start()
    cloud.stop()
    cloud.stop()
    with LocalCloud() as other:
        assert json.dumps(other.environ)
