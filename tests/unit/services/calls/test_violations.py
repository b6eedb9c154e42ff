"""Violations: errors of failed calls, meta data of successful calls."""

import pytest

from satchel.contract.errors import InvalidPath
from satchel.services.calls.violations import Violations
from tests.unit.services.orders import order


def test_no_violations_give_no_meta_data() -> None:
    violations = Violations(order(), "fail")
    violations.check(failed=True)

    assert violations.meta_data() == {}


@pytest.mark.clause("v2.1:errors:invalid-path")
def test_failed_call_raises_invalid_path_of_the_last_attempt() -> None:
    violations = Violations(order())
    violations.add_blocked_access("/etc/a")
    violations.add_blocked_access("/etc/b")
    with pytest.raises(InvalidPath) as raised:
        violations.check(failed=True)

    user = order().user
    assert raised.value.details["attempted_path"] == "/etc/b"
    assert raised.value.details["allowed_prefix"] == f"/tmp/{user}/"


def test_successful_call_reports_up_to_ten_violations() -> None:
    violations = Violations(order())
    for number in range(20):
        violations.add_blocked_access(f"/etc/{number}")
    violations.check(failed=False)

    reported = violations.meta_data()["security_violations"]
    assert reported[0] == {"attempted_path": "/etc/0", "allowed_prefix": f"/tmp/{order().user}/"}
    assert len(reported) == 10


def test_policy_fail_raises_after_a_successful_call() -> None:
    violations = Violations(order(), "fail")
    violations.add_blocked_access("/etc/a")
    with pytest.raises(InvalidPath):
        violations.check(failed=False)


@pytest.mark.clause("v2.1:isolation:guarded")
def test_each_blocked_access_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    Violations(order()).add_blocked_access("/etc/a")

    assert [(record.getMessage(), vars(record)["attempted_path"]) for record in caplog.records] == [
        ("a file operation was blocked", "/etc/a")
    ]


def test_outside_change_is_logged_and_reported_but_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    violations = Violations(order(), "fail")
    violations.add_outside_change("/tmp/x")
    violations.check(failed=True)

    changed = {"changed_path": "/tmp/x", "allowed_prefix": f"/tmp/{order().user}/", "blocked": False}
    assert violations.meta_data() == {"security_violations": [changed]}
    logged = [(record.getMessage(), vars(record)["changed_path"], vars(record)["blocked"]) for record in caplog.records]
    assert logged == [("a file outside of the workspace changed during the call", "/tmp/x", False)]
