import pytest

from tests.integration.local.workshop import States, Workshop, mapped


def test_a_failure_that_is_caught_is_not_logged(workshop: Workshop, caplog: pytest.LogCaptureFixture) -> None:
    failing = mapped({"Fail": {"Type": "Fail", "Error": "E"}})
    catch = [{"ErrorEquals": ["States.ALL"], "Next": "Over"}]
    states: States = {"All": {**failing, "Catch": catch}, "Over": {"Type": "Succeed"}}
    assert workshop.run(states, {"items": [1]})[0] == "SUCCEEDED"
    assert caplog.text == ""
