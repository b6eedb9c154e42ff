"""Recording calls whose report is missing or invalid."""

import logging

import pytest

from satchel.domain.calls import Call, RunnerReport
from satchel.domain.steps import Failure
from tests.unit.services.world import World


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"files": 5}', b'{"is_error": "perhaps"}', b"\xff\xfe"])
def test_invalid_report_fails_the_call(world: World, call: Call, text: bytes, caplog: pytest.LogCaptureFixture) -> None:
    world.reports.stored[call.call_id] = text
    result = world.finish_call(call)
    assert (result.is_error, result.error_code) == (True, "E_TOOL_FAILED")
    assert result.results["error"].startswith("The runner's report is invalid: ")
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == ["invalid runner report"]


@pytest.mark.parametrize(
    "failure",
    [Failure(Error="States.HeartbeatTimeout"), Failure(Error="States.Timeout", Cause="x"), None],
)
def test_call_without_a_report_has_crashed(world: World, call: Call, failure: Failure | None) -> None:
    result = world.finish_call(call, failure=failure)
    assert (result.is_error, result.error_code, result.results) == (
        True,
        "E_TOOL_CRASHED",
        {"error": "The tool's environment stopped without returning a result."},
    )
    assert (result.meta_data or {})["retryable"] is True


def test_failure_before_the_tool_ran_fails_the_call_and_logs_the_cause(
    world: World, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    result = world.finish_call(call, failure=Failure(Error="KeyError", Cause="secret trace"))
    assert (result.error_code, result.results) == (
        "E_TOOL_FAILED",
        {"error": "The call failed before the tool ran (KeyError)."},
    )
    assert "secret" not in result.model_dump_json() + world.events.stored_json(call.turn_id)
    assert [record.message for record in caplog.records] == ["call failed outside of its runner"]


def test_late_report_counts_more_than_the_caught_failure(world: World, call: Call) -> None:
    result = world.finish_call(
        call, RunnerReport(results="in time after all"), Failure(Error="States.HeartbeatTimeout")
    )
    assert (result.is_error, result.results) == (False, "in time after all")


@pytest.mark.parametrize("error", ["States.Timeout", "States.HeartbeatTimeout", None])
def test_runner_of_a_failed_task_is_told_to_stop(world: World, call: Call, error: str | None) -> None:
    world.finish_call(call, RunnerReport(results=1), Failure(Error=error) if error else None)
    assert world.reported_events.stopped == ([call.call_id] if error else [])
