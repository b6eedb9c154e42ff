"""Tests of waiting for a tool with the timeouts of the runner."""

import pytest

from local.lint.tool_call import TIMEOUT, wait_for_outcome
from satchel.domain.timing import Limits
from satchel.ports.tool_client import CallFailure, LogMessage, ProgressUpdate, ToolResult
from tests.fakes.system import FakeClock
from tests.fakes.tool_client import FakeRunningCall, Script

ANSWER = ToolResult(raw={"content": []})


def running_call(script: Script) -> tuple[FakeRunningCall, FakeClock]:
    clock = FakeClock()
    return FakeRunningCall(clock, script), clock


def test_result_is_returned_with_the_silence_before_it() -> None:
    running, clock = running_call([(12, ANSWER)])
    outcome = wait_for_outcome(running, clock, Limits())

    assert outcome.raw == ANSWER.raw
    assert outcome.finding is None
    assert outcome.silent_seconds == pytest.approx(12, abs=0.01)


def test_longest_silence_counts_and_progress_or_a_log_ends_a_silence() -> None:
    running, clock = running_call(
        [(9, ProgressUpdate(progress=1)), (21, LogMessage(level="info", message="x")), (29, ANSWER)]
    )
    outcome = wait_for_outcome(running, clock, Limits())

    assert outcome.raw == ANSWER.raw
    assert outcome.silent_seconds == pytest.approx(12, abs=0.01)


@pytest.mark.clause("v2.1:time:timeout")
def test_tool_without_progress_is_stopped_after_the_timeout() -> None:
    running, clock = running_call([(5, ProgressUpdate(progress=1)), (40, ANSWER)])
    outcome = wait_for_outcome(running, clock, Limits())

    assert outcome.raw is None
    assert outcome.finding is not None
    assert outcome.finding.clause == TIMEOUT.id
    assert outcome.finding.message == "The tool was silent for 30 seconds and was stopped."
    assert running.killed_at == clock.monotonic()


def test_tool_with_endless_progress_is_stopped_after_the_maximum() -> None:
    running, clock = running_call([(second, ProgressUpdate(progress=second)) for second in range(1, 200)])
    outcome = wait_for_outcome(running, clock, Limits(max_seconds=100))

    assert outcome.finding is not None
    assert outcome.finding.message == "The tool ran for 100 seconds and was stopped."


def test_crash_is_reported_as_no_output() -> None:
    running, clock = running_call([(1, CallFailure(crashed=True, message="The tool's server ended with exit code 3"))])
    outcome = wait_for_outcome(running, clock, Limits())

    assert outcome.finding is not None
    assert outcome.finding.message == "The tool returned no output: The tool's server ended with exit code 3."
