import math

import pytest

from local.runners.context import InvocationError
from local.runners.ledger import Ledger

ERROR = {"errorType": "ValueError", "errorMessage": "bad", "stackTrace": ["line 1"]}
DIED = InvocationError("Runtime.ExitError", "signal 9")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def test_an_answer_settles_its_own_invocation(ledger: Ledger) -> None:
    one, other = ledger.enter("1", math.inf), ledger.enter("2", math.inf)
    ledger.settle({"id": "2", "kind": "result", "payload": {"a": 1}})
    assert other.result(0) == {"a": 1}
    assert not one.done()
    assert not ledger.idle


def test_an_error_keeps_its_type_its_message_and_its_trace(ledger: Ledger) -> None:
    answer = ledger.enter("1", math.inf)
    ledger.settle({"id": "1", "kind": "error", "payload": ERROR})
    error = answer.exception(0)
    assert isinstance(error, InvocationError)
    assert (error.error_type, str(error), error.stack_trace) == ("ValueError", "bad", ["line 1"])
    assert ledger.idle


def test_only_what_is_late_expires_and_its_answer_is_dropped(ledger: Ledger) -> None:
    late, early = ledger.enter("1", 10.0), ledger.enter("2", 20.0)
    assert ledger.next_deadline == 10.0
    assert not ledger.expire(9.9, DIED)
    assert ledger.expire(10.0, DIED)
    ledger.settle({"id": "1", "kind": "result", "payload": "too late"})
    assert late.exception(0) is DIED
    assert not early.done()
    assert ledger.next_deadline == 20.0


def test_a_death_fails_everything(ledger: Ledger) -> None:
    answers = [ledger.enter(str(number), math.inf) for number in range(3)]
    ledger.fail_all(DIED)
    assert [answer.exception(0) for answer in answers] == [DIED] * 3
    assert ledger.idle
    assert ledger.next_deadline is None


def test_a_child_that_said_why_it_cannot_serve_is_quoted(ledger: Ledger) -> None:
    answer = ledger.enter("1", math.inf)
    ledger.settle({"id": "", "kind": "broken", "payload": ERROR | {"errorMessage": "Unable to import"}})
    ledger.fail_all(DIED)
    assert str(answer.exception(0)) == "Unable to import"
