import json
import threading
import time
from typing import Any

import boto3
import pytest

from local.aws.cloud import LocalCloud
from local.runners.context import LambdaContext
from tests.integration.local.workshop import Workshop


def payload_of(response: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    return json.loads(response["Payload"].read())


def tell(event: object, context: LambdaContext) -> object:
    return {"event": event, "tenant": context.tenant_id, "name": context.function_name, "asynchronous": False}


def test_an_invocation_returns_what_the_handler_in_this_process_returned(workshop: Workshop) -> None:
    name = workshop.function(tell)
    response = workshop.lambda_.invoke(FunctionName=name, Payload=b'{"a": 1}', TenantId="alice@example.com")
    assert payload_of(response) == {
        "event": {"a": 1},
        "tenant": "alice@example.com",
        "name": name,
        "asynchronous": False,
    }
    assert "FunctionError" not in response


def test_another_process_reaches_the_same_handler_by_the_server(workshop: Workshop, cloud: LocalCloud) -> None:
    name = workshop.function(tell)
    remote = boto3.client("lambda", endpoint_url=cloud.endpoint_url)
    assert payload_of(remote.invoke(FunctionName=name, Payload=b"[]", TenantId="bob"))["tenant"] == "bob"


def test_events_are_handled_after_the_answer_and_each_in_a_thread_of_its_own(workshop: Workshop) -> None:
    together = threading.Barrier(101)
    name = workshop.function(lambda _event, _context: together.wait(20))
    for _ in range(100):
        assert workshop.lambda_.invoke(FunctionName=name, InvocationType="Event")["StatusCode"] == 202
    together.wait(20)  # breaks unless all hundred run at once


def test_a_handlers_exception_becomes_an_error_of_its_type(workshop: Workshop) -> None:
    def fail(_event: object, _context: LambdaContext) -> None:
        raise PermissionError("not yours")

    response = workshop.lambda_.invoke(FunctionName=workshop.function(fail))
    assert response["FunctionError"] == "Unhandled"
    error = payload_of(response)
    assert (error["errorType"], error["errorMessage"]) == ("PermissionError", "not yours")


def test_a_result_that_is_not_json_is_an_error(workshop: Workshop) -> None:
    response = workshop.lambda_.invoke(FunctionName=workshop.function(lambda _event, _context: {1, 2}))
    assert payload_of(response)["errorType"] == "Runtime.MarshalError"


def test_a_function_that_takes_too_long_is_answered_for(workshop: Workshop) -> None:
    release = threading.Event()
    name = workshop.function(lambda _event, _context: release.wait(20), timeout=0.2)
    started = time.monotonic()
    error = payload_of(workshop.lambda_.invoke(FunctionName=name))
    release.set()
    assert error["errorType"] == "Sandbox.Timedout"
    assert 0.2 <= time.monotonic() - started < 10


def test_a_failed_event_is_logged_and_not_tried_again(workshop: Workshop, caplog: pytest.LogCaptureFixture) -> None:
    ran: list[object] = []
    done = threading.Event()

    def fail(event: object, _context: LambdaContext) -> None:
        ran.append(event)
        try:
            raise ValueError("a reason")
        finally:
            done.set()

    name = workshop.function(fail)
    workshop.lambda_.invoke(FunctionName=name, InvocationType="Event")
    assert done.wait(10)
    deadline = time.monotonic() + 5
    while not caplog.records and time.monotonic() < deadline:
        time.sleep(0.005)
    assert "a reason" in caplog.text
    assert name in caplog.text
    assert ran == [{}]
