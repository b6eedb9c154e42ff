"""A tool that was stopped: told in the form of spec 3 §12.2, or noted where it went on."""

import pytest

from satchel.contract.errors import InvalidPath
from satchel.services.calls.violations import Violations
from tests.unit.services.orders import order


def test_nothing_refused_is_nothing_said() -> None:
    violations = Violations(order(), "fail")
    violations.check(failed=True)

    assert violations.noted() == {}


@pytest.mark.clause("v2.1:errors:invalid-path")
def test_a_call_fails_for_its_last_attempt() -> None:
    violations = Violations(order())
    violations.hear("/etc/a")
    violations.hear("/etc/b")
    with pytest.raises(InvalidPath) as raised:
        violations.check(failed=True)

    user = order().user
    assert raised.value.details["attempted_path"] == "/etc/b"
    assert raised.value.details["allowed_prefix"] == f"/tmp/{user}/"


def test_who_went_on_keeps_the_result_with_a_note() -> None:
    violations = Violations(order())
    for number in range(20):
        violations.hear(f"/etc/{number}")
    violations.check(failed=False)

    noted = violations.noted()["security_violations"]
    assert noted[0] == {"attempted_path": "/etc/0", "allowed_prefix": f"/tmp/{order().user}/"}
    assert len(noted) == 10


def test_the_attempt_alone_may_be_enough() -> None:
    violations = Violations(order(), "fail")
    violations.hear("/etc/a")
    with pytest.raises(InvalidPath):
        violations.check(failed=False)


@pytest.mark.clause("v2.1:isolation:guarded")
def test_every_attempt_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    Violations(order()).hear("/etc/a")

    assert [(record.getMessage(), vars(record)["attempted_path"]) for record in caplog.records] == [
        ("a file operation was blocked", "/etc/a")
    ]


def test_what_nothing_stopped_is_told_as_that_and_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    violations = Violations(order(), "fail")
    violations.see("/tmp/x")
    violations.check(failed=True)

    changed = {"changed_path": "/tmp/x", "allowed_prefix": f"/tmp/{order().user}/", "blocked": False}
    assert violations.noted() == {"security_violations": [changed]}
    said = [(record.getMessage(), vars(record)["changed_path"], vars(record)["blocked"]) for record in caplog.records]
    assert said == [("something outside changed during the call, and was not blocked", "/tmp/x", False)]
