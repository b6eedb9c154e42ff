import math

import pytest

from local.emulator.runners.context import InvocationError
from local.emulator.runners.pending_requests import PendingRequests

ERROR = {"errorType": "ValueError", "errorMessage": "bad", "stackTrace": ["line 1"]}
EXITED = InvocationError("Runtime.ExitError", "signal 9")


@pytest.fixture
def requests() -> PendingRequests:
    return PendingRequests()


def test_response_resolves_its_own_invocation_only(requests: PendingRequests) -> None:
    one, other = requests.add("1", math.inf), requests.add("2", math.inf)
    requests.resolve({"id": "2", "kind": "result", "payload": {"a": 1}})
    assert other.result(0) == {"a": 1}
    assert not one.done()
    assert not requests.is_idle


def test_error_keeps_type_message_and_stack_trace(requests: PendingRequests) -> None:
    future = requests.add("1", math.inf)
    requests.resolve({"id": "1", "kind": "error", "payload": ERROR})
    error = future.exception(0)
    assert isinstance(error, InvocationError)
    assert (error.error_type, str(error), error.stack_trace) == ("ValueError", "bad", ["line 1"])
    assert requests.is_idle


def test_only_late_invocations_expire_and_their_responses_are_dropped(requests: PendingRequests) -> None:
    late, early = requests.add("1", 10.0), requests.add("2", 20.0)
    assert requests.next_deadline == 10.0
    assert not requests.expire(9.9, EXITED)
    assert requests.expire(10.0, EXITED)
    requests.resolve({"id": "1", "kind": "result", "payload": "too late"})
    assert late.exception(0) is EXITED
    assert not early.done()
    assert requests.next_deadline == 20.0


def test_fail_all_fails_every_pending_invocation(requests: PendingRequests) -> None:
    futures = [requests.add(str(number), math.inf) for number in range(3)]
    requests.fail_all(EXITED)
    assert [future.exception(0) for future in futures] == [EXITED] * 3
    assert requests.is_idle
    assert requests.next_deadline is None


def test_import_error_of_the_environment_is_the_error_of_its_invocations(requests: PendingRequests) -> None:
    future = requests.add("1", math.inf)
    requests.resolve({"id": "", "kind": "import_error", "payload": ERROR | {"errorMessage": "Unable to import"}})
    requests.fail_all(EXITED)
    assert str(future.exception(0)) == "Unable to import"
