"""Violations: errors of failed calls, meta data of successful calls."""

import pytest

from satchel.contract.errors import InvalidPath
from satchel.ports.tool_client import BlockedAccess
from satchel.services.calls.violations import Violations
from tests.unit.services.orders import order


def test_no_violations_give_no_meta_data() -> None:
    violations = Violations(order(), "fail")
    violations.check(failed=True)

    assert violations.meta_data() == {}


@pytest.mark.clause("v2.1:errors:invalid-path")
def test_failed_call_raises_invalid_path_of_the_last_attempt() -> None:
    violations = Violations(order())
    violations.add_blocked_access(BlockedAccess(path="/etc/a", operation="write"))
    violations.add_blocked_access(BlockedAccess(path="/etc/b", operation="write"))
    with pytest.raises(InvalidPath) as raised:
        violations.check(failed=True)

    user = order().user
    assert raised.value.details["attempted_path"] == "/etc/b"
    assert raised.value.details["allowed_prefix"] == f"/tmp/{user}/"


def test_successful_call_reports_up_to_ten_violations() -> None:
    violations = Violations(order())
    for number in range(20):
        violations.add_blocked_access(BlockedAccess(path=f"/etc/{number}", operation="read"))
    violations.check(failed=False)

    reported = violations.meta_data()["security_violations"]
    allowed = f"/tmp/{order().user}/"
    assert reported[0] == {"attempted_path": "/etc/0", "allowed_prefix": allowed, "operation": "read"}
    assert len(reported) == 10


def test_policy_fail_raises_after_a_successful_call() -> None:
    violations = Violations(order(), "fail")
    violations.add_blocked_access(BlockedAccess(path="/etc/a", operation="write"))
    with pytest.raises(InvalidPath):
        violations.check(failed=False)


@pytest.mark.clause("v2.1:isolation:guarded")
def test_each_blocked_access_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    Violations(order()).add_blocked_access(BlockedAccess(path="/etc/a", operation="write"))

    logged = [(record.getMessage(), vars(record)["attempted_path"]) for record in caplog.records]
    assert logged == [("a file operation was blocked", "/etc/a")]


def test_blocked_read_is_an_error_about_reading() -> None:
    violations = Violations(order())
    violations.add_blocked_access(BlockedAccess(path="/data/ref.txt", operation="read"))
    with pytest.raises(InvalidPath, match=r"^File read outside allowed directories$") as raised:
        violations.check(failed=True)

    assert raised.value.details == {
        "attempted_path": "/data/ref.txt",
        "allowed_prefix": f"/tmp/{order().user}/",
        "suggestion": "To read this path, add it to `read_paths` of the server's entry in mcp.json",
    }


def test_blocked_access_of_unknown_kind_suggests_both_remedies() -> None:
    violations = Violations(order())
    violations.add_blocked_access(BlockedAccess(path="/data/ref.txt"))
    with pytest.raises(InvalidPath) as raised:
        violations.check(failed=True)

    assert raised.value.details["suggestion"] == (
        "Use /tmp/{username}/ prefix for file operations. "
        "To read this path, add it to `read_paths` of the server's entry in mcp.json"
    )


def test_write_of_a_tool_without_username_suggests_to_declare_it() -> None:
    violations = Violations(order(writes=False))
    violations.add_blocked_access(BlockedAccess(path=f"/tmp/{order().user}/x", operation="write"))
    with pytest.raises(InvalidPath) as raised:
        violations.check(failed=True)

    assert raised.value.details == {
        "attempted_path": f"/tmp/{order().user}/x",
        "allowed_prefix": None,
        "suggestion": (
            "To write files, declare an argument `username: str` and use the prefix /tmp/{username}/, or set "
            '`"writes": true` in the server\'s entry in mcp.json and use the path in SATCHEL_WORKSPACE'
        ),
    }


def test_outside_change_is_logged_and_reported_but_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    violations = Violations(order(), "fail")
    violations.add_outside_change("/tmp/x")
    violations.check(failed=True)

    changed = {"changed_path": "/tmp/x", "allowed_prefix": f"/tmp/{order().user}/", "blocked": False}
    assert violations.meta_data() == {"security_violations": [changed]}
    logged = [(record.getMessage(), vars(record)["changed_path"], vars(record)["blocked"]) for record in caplog.records]
    assert logged == [("a file outside of the workspace changed during the call", "/tmp/x", False)]
