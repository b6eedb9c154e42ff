import json
import threading
import time

import pytest

from local.aws.functions import Function, FunctionHost
from local.runners.context import InvocationError, LambdaContext


@pytest.fixture
def host() -> FunctionHost:
    return FunctionHost()


def test_a_handler_is_told_what_it_runs_for(host: FunctionHost) -> None:
    contexts: list[LambdaContext] = []
    host.register(Function("f", lambda _event, context: contexts.append(context), 5))
    host.invoke("f", {}, arn="arn:f", tenant_id="alice")
    context = contexts[0]
    assert (context.function_name, context.invoked_function_arn, context.tenant_id) == ("f", "arn:f", "alice")
    assert not context.asynchronous
    assert 0 < context.get_remaining_time_in_millis() <= 5000


def test_the_latest_registration_of_a_name_counts(host: FunctionHost) -> None:
    host.register(Function("f", lambda _event, _context: 1, 5))
    host.register(Function("f", lambda _event, _context: 2, 5))
    assert host.invoke("f", {}).payload == "2"


def test_a_function_without_a_handler_is_an_error_with_its_name(host: FunctionHost) -> None:
    outcome = host.invoke("missing", {})
    assert outcome.failed
    assert json.loads(outcome.payload)["errorType"] == "Runtime.HandlerNotFound"
    assert "missing" in outcome.payload


def test_a_failure_that_has_a_name_of_lambdas_keeps_it(host: FunctionHost) -> None:
    def fail(_event: object, _context: LambdaContext) -> None:
        raise InvocationError("Runtime.ExitError", "signal 9")

    host.register(Function("f", fail, 5))
    assert json.loads(host.invoke("f", {}).payload)["errorType"] == "Runtime.ExitError"


def test_even_a_handler_that_exits_only_ends_its_invocation(host: FunctionHost) -> None:
    def leave(_event: object, _context: LambdaContext) -> None:
        raise SystemExit(3)

    host.register(Function("f", leave, 5))
    assert json.loads(host.invoke("f", {}).payload)["errorType"] == "SystemExit"


def test_closing_waits_for_handlers_up_to_its_limit_and_counts_the_rest(host: FunctionHost) -> None:
    release = threading.Event()
    host.register(Function("stuck", lambda _event, _context: release.wait(10), 10))
    host.register(Function("quick", lambda _event, _context: None, 10))
    for name in ("stuck", "quick"):
        host.invoke_later(name, {})
    started = time.monotonic()
    assert host.close(0.1) == 1
    assert time.monotonic() - started < 5
    release.set()


def test_a_closed_host_starts_nothing_until_it_is_opened_anew(host: FunctionHost) -> None:
    ran: list[object] = []
    host.register(Function("f", lambda event, _context: ran.append(event), 5))
    host.close(0)
    assert json.loads(host.invoke("f", 1).payload)["errorType"] == "ServiceException"
    host.invoke_later("f", 2)
    host.reopen()
    assert json.loads(host.invoke("f", 3).payload)["errorType"] == "Runtime.HandlerNotFound"
    assert ran == []
