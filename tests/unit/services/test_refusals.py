"""A tool that was stopped: told in the form of spec 3 §12.2, or noted where it went on."""

import pytest

from satchel.contract.errors import InvalidPath
from satchel.services.calls.violations import Refusals
from tests.unit.services.orders import order


def test_nothing_refused_is_nothing_said() -> None:
    refusals = Refusals(order(), "fail")
    refusals.check(failed=True)

    assert refusals.noted() == {}


@pytest.mark.clause("v2.1:errors:invalid-path")
def test_a_call_fails_for_its_last_attempt() -> None:
    refusals = Refusals(order())
    refusals.hear("/etc/a")
    refusals.hear("/etc/b")
    with pytest.raises(InvalidPath) as raised:
        refusals.check(failed=True)

    user = order().user
    assert raised.value.details["attempted_path"] == "/etc/b"
    assert raised.value.details["allowed_prefix"] == f"/tmp/{user}/"


def test_who_went_on_keeps_the_result_with_a_note() -> None:
    refusals = Refusals(order())
    for number in range(20):
        refusals.hear(f"/etc/{number}")
    refusals.check(failed=False)

    noted = refusals.noted()["security_violations"]
    assert noted[0] == {"attempted_path": "/etc/0", "allowed_prefix": f"/tmp/{order().user}/"}
    assert len(noted) == 10


def test_the_attempt_alone_may_be_enough() -> None:
    refusals = Refusals(order(), "fail")
    refusals.hear("/etc/a")
    with pytest.raises(InvalidPath):
        refusals.check(failed=False)


@pytest.mark.clause("v2.1:isolation:guarded")
def test_every_attempt_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    Refusals(order()).hear("/etc/a")

    assert [(record.getMessage(), vars(record)["attempted_path"]) for record in caplog.records] == [
        ("a file operation was blocked", "/etc/a")
    ]


def test_what_nothing_stopped_is_told_as_that_and_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    refusals = Refusals(order(), "fail")
    refusals.see("/tmp/x")
    refusals.check(failed=True)

    changed = {"changed_path": "/tmp/x", "allowed_prefix": f"/tmp/{order().user}/", "blocked": False}
    assert refusals.noted() == {"security_violations": [changed]}
    said = [(record.getMessage(), vars(record)["changed_path"], vars(record)["blocked"]) for record in caplog.records]
    assert said == [("something outside changed during the call, and was not blocked", "/tmp/x", False)]
