import json
import queue
import threading
import time
from typing import Any

import pytest

from local.emulator.aws.lambda_host import Function, FunctionHost
from local.emulator.runners.context import InvocationError, LambdaContext
from tests.priority import prioritized


@pytest.fixture
def host() -> FunctionHost:
    return FunctionHost()


def test_context_has_name_arn_tenant_and_remaining_time(host: FunctionHost) -> None:
    contexts: list[LambdaContext] = []
    host.register(Function("f", lambda _event, context: contexts.append(context), 5))
    host.invoke("f", {}, arn="arn:f", tenant_id="alice")
    context = contexts[0]
    assert (context.function_name, context.invoked_function_arn, context.tenant_id) == ("f", "arn:f", "alice")
    assert not context.asynchronous
    assert 0 < context.get_remaining_time_in_millis() <= 5000


def test_second_registration_of_a_name_replaces_the_first(host: FunctionHost) -> None:
    host.register(Function("f", lambda _event, _context: 1, 5))
    host.register(Function("f", lambda _event, _context: 2, 5))
    assert host.invoke("f", {}).payload == "2"


def test_unknown_function_is_an_error_with_its_name(host: FunctionHost) -> None:
    result = host.invoke("missing", {})
    assert result.failed
    assert json.loads(result.payload)["errorType"] == "Runtime.HandlerNotFound"
    assert "missing" in result.payload


def test_invocation_error_keeps_its_error_type(host: FunctionHost) -> None:
    def fail(_event: object, _context: LambdaContext) -> None:
        raise InvocationError("Runtime.ExitError", "signal 9")

    host.register(Function("f", fail, 5))
    assert json.loads(host.invoke("f", {}).payload)["errorType"] == "Runtime.ExitError"


def test_system_exit_of_a_handler_only_fails_its_invocation(host: FunctionHost) -> None:
    def exit_process(_event: object, _context: LambdaContext) -> None:
        raise SystemExit(3)

    host.register(Function("f", exit_process, 5))
    assert json.loads(host.invoke("f", {}).payload)["errorType"] == "SystemExit"


def test_close_waits_up_to_its_timeout_and_counts_running_handlers(host: FunctionHost) -> None:
    release, ran = threading.Event(), threading.Event()
    host.register(Function("stuck", lambda _event, _context: release.wait(20), 20))
    host.register(Function("quick", lambda _event, _context: ran.set(), 20))
    for name in ("stuck", "quick"):
        host.invoke_later(name, {})
    assert ran.wait(20)
    while host.is_running("quick"):
        time.sleep(0.005)
    with prioritized():
        started = time.monotonic()
        assert host.close(1) == 1
        assert time.monotonic() - started < 5
    release.set()


def test_closed_host_runs_no_handler_and_reopen_forgets_functions(host: FunctionHost) -> None:
    ran: list[object] = []
    host.register(Function("f", lambda event, _context: ran.append(event), 5))
    host.close(0)
    assert json.loads(host.invoke("f", 1).payload)["errorType"] == "ServiceException"
    host.invoke_later("f", 2)
    host.reopen()
    assert json.loads(host.invoke("f", 3).payload)["errorType"] == "Runtime.HandlerNotFound"
    assert ran == []


def test_close_beside_new_invocations_joins_only_started_threads(host: FunctionHost) -> None:
    """``close`` must not see a thread that is registered but not started."""
    host.register(Function("f", lambda _event, _context: None, 5))
    stopped, errors = threading.Event(), list[Exception]()

    def close_again_and_again() -> None:
        while not stopped.is_set():
            try:
                host.close(0)
            except RuntimeError as error:
                errors.append(error)
            host._is_open = True  # noqa: SLF001  (``reopen`` would also forget the function)

    closer = threading.Thread(target=close_again_and_again)
    closer.start()
    for _ in range(300):
        host.invoke("f", {})
    stopped.set()
    closer.join()
    assert errors == []


def fail(_event: object, _context: LambdaContext) -> None:
    raise ValueError("a reason")


def test_destination_gets_event_and_error_of_a_failed_asynchronous_invocation(host: FunctionHost) -> None:
    records: queue.SimpleQueue[Any] = queue.SimpleQueue()
    host.register(Function("f", fail, 5))

    host.invoke_later("f", {"a": 1}, arn="arn:f", on_failure=records.put)

    record = records.get(timeout=60)
    assert (record["requestPayload"], record["requestContext"]["functionArn"]) == ({"a": 1}, "arn:f")
    assert record["requestContext"]["condition"] == "RetriesExhausted"
    assert record["responsePayload"]["errorType"] == "ValueError"


def test_destination_gets_nothing_if_a_retry_succeeds(host: FunctionHost) -> None:
    host.retry_pauses = (0.01, 0.02)
    tries: queue.SimpleQueue[object] = queue.SimpleQueue()
    records = list[object]()

    def run(event: object, context: LambdaContext) -> None:
        tries.put(event)
        if tries.qsize() < 3:
            fail(event, context)

    host.register(Function("f", run, 5))

    host.invoke_later("f", {"a": 1}, retries=2, on_failure=records.append)

    deadline = time.monotonic() + 60
    while tries.qsize() < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    assert [tries.get(timeout=0) for _ in range(3)] == [{"a": 1}] * 3
    assert host.close(20) == 0
    assert records == []


def test_close_ends_the_pause_before_a_retry(host: FunctionHost) -> None:
    tries = list[object]()
    failed = threading.Event()

    def run(event: object, _context: LambdaContext) -> None:
        tries.append(event)
        failed.set()
        raise ValueError("a reason")

    host.register(Function("f", run, 5))
    host.invoke_later("f", 1, retries=2)
    assert failed.wait(60)
    assert host.close(20) == 0
    assert tries == [1]
