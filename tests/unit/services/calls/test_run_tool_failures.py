"""Calls that end without a result, and calls that are canceled."""

import json
import threading
from pathlib import Path

import pytest

from satchel.contract import ErrorCode
from satchel.domain.calls import RunnerReport
from satchel.domain.steps import TOOL_ENDED
from satchel.ports.runners import CallOrder, InputFile
from satchel.ports.tool_client import BlockedAccess, CallFailure, ToolResult
from tests.unit.services.orders import order
from tests.unit.services.runner import Runner, result_of, writing


def error_of(report: RunnerReport) -> tuple[ErrorCode | None, str]:
    assert report.is_error
    return report.error_code, report.results["error"]


@pytest.mark.clause("v2.1:timeout:discarded")
def test_silent_tool_times_out_and_its_files_are_discarded(runner: Runner) -> None:
    runner.client.side_effect = writing("partial.html")
    runner.client.script = []
    report = runner.report(order())
    assert error_of(report) == (ErrorCode.E_TIMEOUT, "Tool execution timed out after 30 seconds")
    assert (report.files, report.duration_ms) == ([], 30_000)
    assert runner.client.running[0].killed_at is not None


@pytest.mark.parametrize(("crashed", "code"), [(True, ErrorCode.E_TOOL_CRASHED), (False, ErrorCode.E_TOOL_FAILED)])
def test_call_without_a_result_fails_with_its_message(runner: Runner, crashed: bool, code: ErrorCode) -> None:  # noqa: FBT001 (a row)
    runner.client.script = [(1, CallFailure(crashed=crashed, message="It is gone"))]
    assert error_of(runner.report(order())) == (code, "It is gone")
    assert runner.callback.failed == [("task", TOOL_ENDED)]


def test_server_that_cannot_start_has_crashed(runner: Runner) -> None:
    runner.client.fails_to_start = True
    assert error_of(runner.report(order())) == (ErrorCode.E_TOOL_CRASHED, "The server did not start")


def test_missing_input_fails_the_call_before_the_tool_runs(runner: Runner) -> None:
    missing = InputFile(name="a.csv", url=runner.store.presign_get("gone", 900), size=1, etag="e")
    report = runner.report(order(inputs=[missing]))
    assert error_of(report) == (ErrorCode.E_TOOL_FAILED, "The file 'a.csv' cannot be fetched (HTTP 404)")
    assert runner.client.started == []


def test_error_of_the_runner_fails_the_call_and_logs_the_traceback(
    runner: Runner, caplog: pytest.LogCaptureFixture
) -> None:
    def fill_disk(_home: Path) -> None:
        raise OSError(28, "No space left on device")

    runner.client.side_effect = fill_disk
    assert error_of(runner.report(order())) == (
        ErrorCode.E_TOOL_FAILED,
        "The tool could not be run: [Errno 28] No space left on device",
    )
    assert runner.callback.failed == [("task", TOOL_ENDED)]
    assert [(record.message, record.exc_info is not None) for record in caplog.records] == [("the runner failed", True)]


def test_self_referencing_result_fails_the_call(runner: Runner) -> None:
    nested: list[object] = []
    nested.append(nested)
    runner.client.script = [(0, ToolResult.model_construct(raw={"structuredContent": {"results": nested}}))]
    assert error_of(runner.report(order())) == (
        ErrorCode.E_TOOL_FAILED,
        "The tool's result is invalid: results: it contains itself",
    )


FAILED = {"results": {"error": "disk full"}, "meta_data": {"is_error": True}}
NOT_STORED = "not stored, because the call failed"


def names_not_stored(report: RunnerReport) -> list[str]:
    assert {problem.reason for problem in report.problems} == {NOT_STORED}
    return [problem.name for problem in report.problems]


@pytest.mark.clause("v2.1:artifacts:failed-call")
def test_files_of_a_failed_call_are_reported_and_not_stored(runner: Runner) -> None:
    runner.client.side_effect = writing("big.bin")
    files = {
        "artifacts": [{"name": "a.txt", "mime": "text/plain", "content": "half of"}],
        "deferred_artifacts": [{"name": "d.txt", "mime": "text/plain", "path": "d.txt"}],
        "bibliography": [{"pmid": "1"}],
    }
    runner.client.script = [(0, result_of(FAILED | files))]
    report = runner.report(order())
    assert error_of(report) == (ErrorCode.E_TOOL_FAILED, "disk full")
    assert names_not_stored(report) == ["a.txt", "Article References.json", "d.txt", "big.bin"]
    assert (report.files, runner.store.written) == ([], [])


@pytest.mark.clause("v2.1:artifacts:failed-call")
def test_files_of_a_call_that_a_blocked_access_failed_are_reported_and_not_stored(runner: Runner) -> None:
    runner.client.side_effect = writing("half.csv", b"a,")
    runner.client.script = [(0, BlockedAccess(path="/etc/x")), (0, result_of(FAILED))]
    report = runner.report(order())
    assert report.error_code == ErrorCode.E_INVALID_PATH
    assert (names_not_stored(report), report.files) == (["half.csv"], [])


def test_long_error_of_a_failed_call_is_not_stored_as_a_file(runner: Runner) -> None:
    runner.client.script = [(0, result_of(FAILED | {"results": {"error": "x" * 50_000}}))]
    report = runner.report(order())
    assert (report.files, report.problems, len(str(report.results)) < 50_000) == ([], [], True)


# Cancellation


def test_cancelled_call_is_killed_and_stores_no_report(runner: Runner) -> None:
    runner.client.script = None  # stuck until it is killed
    runner.heartbeat_seconds, runner.callback.gone = 0, True
    runner.run(order())
    assert runner.client.running[0].killed_at is not None
    assert (runner.reports.stored, runner.callback.failed) == ({}, [])
    assert (runner.client.open, runner.workspaces.locked_users) == (0, [])


def test_stopped_call_is_killed_between_two_heartbeats(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.services.calls.heartbeat.CHECK_SECONDS", 0)
    sent = order()
    runner.claims.stopped.add(sent.call_id)
    runner.client.script = None  # stuck until it is killed
    runner.run(sent)
    assert runner.client.running[0].killed_at is not None
    assert (runner.reports.stored, runner.callback.failed, runner.callback.heartbeats) == ({}, [], [])


def test_call_cancelled_during_input_fetch_is_killed_when_it_runs(runner: Runner) -> None:
    task_ended = threading.Event()
    runner.client.script = None
    runner.heartbeat_seconds, runner.callback.gone = 0, True
    runner.callback.on_heartbeat = task_ended.set

    def wait_for_heartbeat(_home: Path) -> None:
        assert task_ended.wait(60)

    runner.client.side_effect = wait_for_heartbeat
    runner.run(order())
    assert runner.client.running[0].killed_at is not None
    assert (runner.reports.stored, runner.callback.failed) == ({}, [])


def test_heartbeats_continue_while_the_tool_is_silent(runner: Runner) -> None:
    heartbeats = threading.Semaphore(0)
    runner.heartbeat_seconds, runner.callback.on_heartbeat = 0, heartbeats.release

    def wait_for_three(_home: Path) -> None:
        assert all(heartbeats.acquire(timeout=60) for _ in range(3))

    runner.client.side_effect = wait_for_three
    runner.run(order())
    assert set(runner.callback.heartbeats) == {"task"}
    assert runner.callback.failed == [("task", TOOL_ENDED)]


def test_secrets_of_the_order_are_neither_logged_nor_reported(runner: Runner, caplog: pytest.LogCaptureFixture) -> None:
    sent = order()
    secrets = CallOrder.model_validate_json(sent.model_dump_json()).credentials
    secrets.secret_access_key = "very-secret"
    runner.client.script = [(1, CallFailure(crashed=True, message="gone"))]
    runner.run(sent.model_copy(update={"credentials": secrets, "task_token": "token-of-the-task"}))
    output = json.dumps([stored.body.decode() for stored in runner.store.objects.values()]) + caplog.text
    assert ("very-secret" in output, "token-of-the-task" in output) == (False, False)
