"""Calls that left no outcome, or something that is none."""

import logging

import pytest

from satchel.domain.calls import Call, RunnerReport
from satchel.domain.object_keys import outcome_key
from satchel.domain.steps import Failure
from tests.unit.services.world import World


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"files": 5}', b'{"is_error": "perhaps"}', b"\xff\xfe"])
def test_what_is_no_outcome_is_a_failed_call(
    world: World, call: Call, text: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    world.put(outcome_key(call.user, call.turn_id, call.call_id), text)
    found = world.finish_call(call)
    assert (found.is_error, found.error_code) == (True, "E_TOOL_FAILED")
    assert found.results["error"].startswith("The runner handed over something that is no outcome: ")
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == ["outcome refused"]


def test_an_outcome_beyond_all_bounds_is_a_failed_call(world: World, call: Call) -> None:
    world.put(outcome_key(call.user, call.turn_id, call.call_id), b" " * (9 << 20))
    found = world.finish_call(call)
    assert found.error_code == "E_TOOL_FAILED"


@pytest.mark.parametrize(
    "failure",
    [Failure(Error="States.HeartbeatTimeout"), Failure(Error="States.Timeout", Cause="x"), None],
)
def test_a_runner_that_went_silent_has_crashed(world: World, call: Call, failure: Failure | None) -> None:
    found = world.finish_call(call, failure=failure)
    assert (found.is_error, found.error_code, found.results) == (
        True,
        "E_TOOL_CRASHED",
        {"error": "The tool's environment ended without a word."},
    )
    assert (found.meta_data or {})["retryable"] is True


def test_a_call_that_could_not_be_made_has_failed_and_the_cause_is_for_us_alone(
    world: World, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    found = world.finish_call(call, failure=Failure(Error="KeyError", Cause="secret trace"))
    assert (found.error_code, found.results) == ("E_TOOL_FAILED", {"error": "The call could not be made (KeyError)."})
    assert "secret" not in found.model_dump_json() + world.events.text(call.turn_id)
    assert [record.message for record in caplog.records] == ["call failed before its tool ran"]


def test_a_late_outcome_is_believed_before_the_catchers_word(world: World, call: Call) -> None:
    found = world.finish_call(call, RunnerReport(results="in time after all"), Failure(Error="States.HeartbeatTimeout"))
    assert (found.is_error, found.results) == (False, "in time after all")
