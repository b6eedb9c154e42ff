"""Calls that end otherwise than with a result, and calls that are ended from outside."""

import json
import threading
from pathlib import Path

import pytest

from satchel.contract import ErrorCode
from satchel.domain.calls import RunnerReport
from satchel.ports.runners import CallOrder, InputFile
from satchel.ports.tool_client import CallFailure, ToolResult
from tests.unit.services.orders import order
from tests.unit.services.runner import Runner, writing


def failed(outcome: RunnerReport) -> tuple[ErrorCode | None, str]:
    assert outcome.is_error
    return outcome.error_code, outcome.results["error"]


@pytest.mark.clause("v2.1:timeout:discarded")
def test_a_silent_tool_has_timed_out_and_what_it_had_made_is_left_behind(runner: Runner) -> None:
    runner.client.acts = writing("partial.html")
    runner.client.script = []
    outcome = runner.report(order())
    assert failed(outcome) == (ErrorCode.E_TIMEOUT, "Tool execution timed out after 30 seconds")
    assert (outcome.files, outcome.duration_ms) == ([], 30_000)
    assert runner.client.running[0].killed_at is not None


@pytest.mark.parametrize(("crashed", "code"), [(True, ErrorCode.E_TOOL_CRASHED), (False, ErrorCode.E_TOOL_FAILED)])
def test_a_call_without_a_result_says_why(runner: Runner, crashed: bool, code: ErrorCode) -> None:  # noqa: FBT001 (a row)
    runner.client.script = [(1, CallFailure(crashed=crashed, message="It is gone"))]
    assert failed(runner.report(order())) == (code, "It is gone")
    assert runner.callback.ended == ["task"]


def test_a_server_that_cannot_be_started_has_crashed(runner: Runner) -> None:
    runner.client.broken = True
    assert failed(runner.report(order())) == (ErrorCode.E_TOOL_CRASHED, "The server did not start")


def test_a_file_that_cannot_be_brought_is_named_and_no_tool_runs(runner: Runner) -> None:
    missing = InputFile(name="a.csv", url=runner.store.link("gone", 900), size=1, etag="e")
    outcome = runner.report(order(inputs=[missing]))
    assert failed(outcome) == (ErrorCode.E_TOOL_FAILED, "The file 'a.csv' cannot be fetched (HTTP 404)")
    assert runner.client.started == []


def test_a_mistake_of_the_runner_ends_the_call_with_a_word_and_a_trace(
    runner: Runner, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_home: Path) -> None:
        raise OSError(28, "No space left on device")

    runner.client.acts = full
    assert failed(runner.report(order())) == (
        ErrorCode.E_TOOL_FAILED,
        "The tool could not be run: [Errno 28] No space left on device",
    )
    assert runner.callback.ended == ["task"]
    assert [(record.message, record.exc_info is not None) for record in caplog.records] == [("the runner failed", True)]


def test_an_answer_that_is_nested_beyond_bounds_is_an_error_not_the_end_of_the_runner(runner: Runner) -> None:
    nested: list[object] = []
    nested.append(nested)
    runner.client.script = [(0, ToolResult.model_construct(raw={"structuredContent": {"results": nested}}))]
    assert failed(runner.report(order())) == (
        ErrorCode.E_TOOL_FAILED,
        "The tool's answer cannot be read: results: it contains itself",
    )


# Ended from outside


def test_a_cancelled_call_is_killed_and_leaves_no_outcome(runner: Runner) -> None:
    runner.client.script = None  # stuck until it is killed
    runner.heartbeat_seconds, runner.callback.gone = 0, True
    runner.run(order())
    assert runner.client.running[0].killed_at is not None
    assert (runner.store.written, runner.callback.ended) == ([], [])
    assert (runner.client.open, runner.workspaces.held) == (0, [])


def test_a_call_that_is_cancelled_while_its_files_come_is_killed_as_soon_as_it_runs(runner: Runner) -> None:
    told = threading.Event()
    runner.client.script = None
    runner.heartbeat_seconds, runner.callback.gone = 0, True
    runner.callback.on_heartbeat = told.set

    def until_the_pulse_knows(_home: Path) -> None:
        assert told.wait(20)

    runner.client.acts = until_the_pulse_knows
    runner.run(order())
    assert runner.client.running[0].killed_at is not None
    assert (runner.store.written, runner.callback.ended) == ([], [])


def test_the_pulse_goes_on_while_the_tool_is_silent(runner: Runner) -> None:
    heartbeats = threading.Semaphore(0)
    runner.heartbeat_seconds, runner.callback.on_heartbeat = 0, heartbeats.release

    def wait_for_three(_home: Path) -> None:
        assert all(heartbeats.acquire(timeout=20) for _ in range(3))

    runner.client.acts = wait_for_three
    runner.run(order())
    assert set(runner.callback.heartbeats) == {"task"}
    assert runner.callback.ended == ["task"]


def test_no_secret_of_the_order_is_logged_or_handed_over(runner: Runner, caplog: pytest.LogCaptureFixture) -> None:
    sent = order()
    secrets = CallOrder.model_validate_json(sent.model_dump_json()).credentials
    secrets.secret_access_key = "very-secret"
    runner.client.script = [(1, CallFailure(crashed=True, message="gone"))]
    runner.run(sent.model_copy(update={"credentials": secrets, "task_token": "token-of-the-task"}))
    seen = json.dumps([kept.body.decode() for kept in runner.store.objects.values()]) + caplog.text
    assert ("very-secret" in seen, "token-of-the-task" in seen) == (False, False)
