import json
import os
import threading
import time

import boto3
import pytest

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.runners.context import LambdaContext
from tests.integration.emulator.cloud_driver import CloudDriver, waiting_task
from tests.priority import prioritized


def test_direct_calls_and_the_server_share_their_data() -> None:
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


def test_environ_has_the_server_and_no_real_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "real")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAREAL")
    with LocalCloud() as cloud:
        assert cloud.environ["AWS_ENDPOINT_URL"] == cloud.endpoint_url
        assert cloud.environ["AWS_ACCESS_KEY_ID"] == os.environ["AWS_ACCESS_KEY_ID"] != "AKIAREAL"
        assert cloud.environ["AWS_SHARED_CREDENTIALS_FILE"] == os.devnull
        assert "AWS_PROFILE" not in os.environ
        assert "AWS_SESSION_TOKEN" not in os.environ
    assert os.environ["AWS_ACCESS_KEY_ID"] != "AKIAREAL"  # threads may still run after the cloud has stopped


def test_stop_ends_running_executions_within_seconds(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The stop waits so long for the handler that never ends, and meanwhile the threads of ten executions must end.
    monkeypatch.setattr("local.emulator.aws.cloud._STOP_SECONDS", 4)
    before = set(threading.enumerate())
    release, running = threading.Event(), threading.Event()

    def block(_event: object, _context: LambdaContext) -> None:
        running.set()
        release.wait(100)

    cloud = LocalCloud()
    cloud.start()
    driver = CloudDriver()
    name, tokens = driver.token_queue()
    for _ in range(10):
        driver.start({"Wait": waiting_task(name)})
    for _ in range(10):
        tokens.get(timeout=60)
    driver.lambda_.invoke(FunctionName=driver.function(block), InvocationType="Event")
    assert running.wait(60)
    with prioritized():
        started = time.monotonic()
        cloud.stop()
        assert time.monotonic() - started < 10
    remaining = {thread.name.partition("-")[0] for thread in set(threading.enumerate()) - before}
    assert remaining == {"lambda"}  # the one running handler: a thread cannot be interrupted
    assert "Still running after the stop: 1 handlers and 0 execution threads" in caplog.text
    release.set()


def test_new_cloud_has_no_data_of_an_earlier_one() -> None:
    for _ in range(2):
        with LocalCloud():
            assert boto3.client("s3").list_buckets()["Buckets"] == []
            resources.create_bucket("bucket", {})
            name = CloudDriver().function(lambda _event, _context: 1)
    with LocalCloud():
        client = boto3.client("lambda")
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.invoke(FunctionName=name)


def test_second_cloud_in_a_process_raises_runtime_error() -> None:
    with LocalCloud(), pytest.raises(RuntimeError, match="one local cloud"):
        LocalCloud().start()
    with pytest.raises(RuntimeError, match="not running"):
        _ = LocalCloud().endpoint_url


def test_second_stop_does_nothing() -> None:
    cloud = LocalCloud()
    cloud.start()
    cloud.stop()
    cloud.stop()
    with LocalCloud() as other:
        assert json.dumps(other.environ)
