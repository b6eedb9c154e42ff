import json
import queue
import threading
import time
from typing import Any

import boto3
import pytest

from local.emulator.aws.cloud import LocalCloud
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.aws.resources import handle_failures
from local.emulator.runners.context import LambdaContext
from tests.integration.emulator.cloud_driver import CloudDriver, task


def payload_of(response: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    return json.loads(response["Payload"].read())


def describe(event: object, context: LambdaContext) -> object:
    return {"event": event, "tenant": context.tenant_id, "name": context.function_name, "asynchronous": False}


def test_invocation_returns_the_result_of_the_handler_in_this_process(driver: CloudDriver) -> None:
    name = driver.function(describe)
    response = driver.lambda_.invoke(FunctionName=name, Payload=b'{"a": 1}', TenantId="alice@example.com")
    assert payload_of(response) == {
        "event": {"a": 1},
        "tenant": "alice@example.com",
        "name": name,
        "asynchronous": False,
    }
    assert "FunctionError" not in response


def test_request_to_the_server_invokes_the_same_handler(driver: CloudDriver, cloud: LocalCloud) -> None:
    name = driver.function(describe)
    remote = boto3.client("lambda", endpoint_url=cloud.endpoint_url)
    assert payload_of(remote.invoke(FunctionName=name, Payload=b"[]", TenantId="bob"))["tenant"] == "bob"


def test_asynchronous_invocations_run_concurrently_after_the_response(driver: CloudDriver) -> None:
    barrier = threading.Barrier(101)
    name = driver.function(lambda _event, _context: barrier.wait(100), timeout=100)
    for _ in range(100):
        assert driver.lambda_.invoke(FunctionName=name, InvocationType="Event")["StatusCode"] == 202
    barrier.wait(100)  # breaks unless all hundred run concurrently


def test_handler_exception_becomes_an_error_of_its_type(driver: CloudDriver) -> None:
    def fail(_event: object, _context: LambdaContext) -> None:
        raise PermissionError("not yours")

    response = driver.lambda_.invoke(FunctionName=driver.function(fail))
    assert response["FunctionError"] == "Unhandled"
    error = payload_of(response)
    assert (error["errorType"], error["errorMessage"]) == ("PermissionError", "not yours")


def test_result_that_is_not_json_is_an_error(driver: CloudDriver) -> None:
    response = driver.lambda_.invoke(FunctionName=driver.function(lambda _event, _context: {1, 2}))
    assert payload_of(response)["errorType"] == "Runtime.MarshalError"


def test_function_timeout_is_an_error(driver: CloudDriver) -> None:
    release = threading.Event()
    name = driver.function(lambda _event, _context: release.wait(20), timeout=0.2)
    started = time.monotonic()
    error = payload_of(driver.lambda_.invoke(FunctionName=name))
    release.set()
    assert error["errorType"] == "Sandbox.Timedout"
    assert 0.2 <= time.monotonic() - started < 10


def test_failed_asynchronous_invocation_is_logged_and_not_retried(
    driver: CloudDriver, caplog: pytest.LogCaptureFixture
) -> None:
    ran: list[object] = []
    done = threading.Event()

    def fail(event: object, _context: LambdaContext) -> None:
        ran.append(event)
        try:
            raise ValueError("a reason")
        finally:
            done.set()

    name = driver.function(fail)
    driver.lambda_.invoke(FunctionName=name, InvocationType="Event")
    assert done.wait(60)
    deadline = time.monotonic() + 60
    while "a reason" not in caplog.text and time.monotonic() < deadline:
        time.sleep(0.005)
    assert "a reason" in caplog.text
    assert name in caplog.text
    assert ran == [{}]


def test_failed_asynchronous_invocation_is_retried_and_sent_to_its_destination(
    driver: CloudDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HOST, "retry_pauses", (0.01, 0.02))
    records: queue.SimpleQueue[Any] = queue.SimpleQueue()
    tries = list[object]()

    def fail(event: object, _context: LambdaContext) -> None:
        tries.append(event)
        raise ValueError("a reason")

    def fail_once(event: object, _context: LambdaContext) -> None:
        records.put(event)
        if records.qsize() == 1:
            raise ValueError("also here")

    name, destination = driver.function(fail), driver.function(fail_once)
    arn = driver.lambda_.get_function(FunctionName=destination)["Configuration"]["FunctionArn"]
    handle_failures(name, retries=1, destination=arn)
    handle_failures(destination, retries=2)
    driver.lambda_.invoke(FunctionName=name, InvocationType="Event", Payload=b'{"a": 1}')

    deadline = time.monotonic() + 60
    while records.qsize() < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    assert [records.get(timeout=0)["requestPayload"] for _ in range(2)] == [{"a": 1}] * 2
    assert tries == [{"a": 1}] * 2


def test_state_with_invocation_type_event_does_not_wait(driver: CloudDriver) -> None:
    release = threading.Event()
    name = driver.function(lambda _event, _context: release.wait(20))
    parameters = {"FunctionName": name, "InvocationType": "Event", "Payload": {}}
    status, output = driver.run({"Go": task(name, Parameters=parameters)})
    waited = release.is_set()
    release.set()
    assert (status, output["StatusCode"], waited) == ("SUCCEEDED", 202, False)
