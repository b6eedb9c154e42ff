"""A call in a runner: the claim, the inputs, the call, the files and the report."""

import threading
from base64 import b64encode
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import pytest

from satchel.contract import ArtifactProblem, Display, ErrorCode
from satchel.domain.calls import RunnerReport
from satchel.domain.inputs import Form
from satchel.domain.steps import INPUT_REQUIRED, POLL_ERRORS, TOOL_ENDED
from satchel.domain.tasks import ReportedTask
from satchel.ports.runners import CallOrder, RunnerAnswer
from satchel.ports.tool_client import (
    BlockedAccess,
    CallFailure,
    CannotAsk,
    LogMessage,
    OutsideChange,
    TaskRunning,
    ToolResult,
)
from satchel.services.calls.run_tool import RESTART
from tests.fakes.runners import open_artifact
from tests.fakes.tool_client import StartedCall
from tests.unit.services.orders import CALL_ID, OTHER_SESSION_ID, SESSION_ID, TURN_ID, USER, order
from tests.unit.services.runner import Runner, result_of, writing

ENDED = ("task", TOOL_ENDED)


def test_call_runs_and_its_report_is_stored(runner: Runner) -> None:
    assert runner.report(order()) == RunnerReport(results={"rows": 3}, duration_ms=2000)
    workspace = runner.workspaces.base / USER
    assert runner.client.started == [StartedCall("summarise", {"filename": "a.csv"}, workspace, writes=True)]
    assert (runner.callback.failed, runner.client.open, runner.workspaces.locked_users) == ([ENDED], 0, [])


def waiting(runner: Runner, seconds: float) -> CallOrder:
    """Return the order of a call for whose end Dispatch waits so long."""
    return order().model_copy(update={"waits_until": runner.clock.now() + timedelta(seconds=seconds)})


@pytest.mark.parametrize(("seconds", "is_in_time"), [(2.1, True), (2, False), (1, False)])
def test_runner_completes_the_task_only_if_dispatch_no_longer_waits(
    runner: Runner, seconds: float, *, is_in_time: bool
) -> None:
    sent = waiting(runner, seconds)
    report = RunnerReport(results={"rows": 3}, duration_ms=2000)
    assert runner.run(sent) == (RunnerAnswer(report=report, has_events=False) if is_in_time else None)
    assert runner.reports.read(sent) == report
    assert (runner.callback.failed, runner.callback.succeeded) == ([] if is_in_time else [ENDED], [])


def test_server_gets_the_folder_in_which_it_keeps_the_data_of_the_user(runner: Runner, tmp_path: Path) -> None:
    runner.open_state = lambda user: tmp_path / "kept" / user
    runner.run(order())
    assert runner.client.started[0].state == tmp_path / "kept" / USER


def test_report_says_that_the_tool_list_changed(runner: Runner) -> None:
    result = result_of({"results": 1}).model_copy(update={"tools_changed": True})
    runner.client.script = [(1, result)]
    assert runner.report(order()).tools_changed is True


def test_report_is_stored_before_the_task_is_completed(runner: Runner) -> None:
    stored: list[bool] = []
    runner.callback.on_end = lambda: stored.append(order().call_id in runner.reports.stored)
    runner.run(order())
    assert stored == [True]


def test_task_is_completed_after_the_heartbeat_has_ended(runner: Runner) -> None:
    before, started = set(threading.enumerate()), list[list[str]]()  # other tests of this process may leave threads
    runner.callback.on_end = lambda: started.append([t.name for t in threading.enumerate() if t not in before])
    runner.run(order())
    assert [names.count("heartbeat") for names in started] == [0]


def test_repeated_order_runs_once(runner: Runner) -> None:
    runner.run(order(), "first")
    runner.run(order(), "second")
    claimed_by = runner.claims.claimed_by[CALL_ID]
    assert (claimed_by, len(runner.client.started), runner.callback.failed) == ("first", 1, [ENDED])


def test_log_messages_of_the_tool_are_published(runner: Runner) -> None:
    runner.client.script = [(1, LogMessage(level="info", message="Reading")), (2, result_of({"results": 1}))]
    runner.run(order())
    assert runner.events.payloads(TURN_ID) == [
        ("tool_log", {"call_id": CALL_ID, "level": "info", "message": "Reading"})
    ]


def test_report_lists_blocked_accesses_and_outside_changes(runner: Runner) -> None:
    runner.client.script = [
        (1, BlockedAccess(path="/etc/x", operation="write")),
        (1, OutsideChange(path="/tmp/x")),
        (2, result_of({"results": 1})),
    ]
    allowed = f"/tmp/{USER}/"
    assert runner.report(order()).meta_data == {
        "security_violations": [
            {"attempted_path": "/etc/x", "allowed_prefix": allowed, "operation": "write"},
            {"changed_path": "/tmp/x", "allowed_prefix": allowed, "blocked": False},
        ]
    }


# The workspace


@pytest.mark.clause("v2.1:files:brought")
def test_inputs_are_fetched_before_the_tool_is_called(runner: Runner) -> None:
    stored: list[str] = []
    runner.client.side_effect = lambda workspace: stored.extend(
        path.name for path in (workspace / "input_files").iterdir()
    )
    runner.run(order(inputs=[runner.upload("a.csv")]))
    assert stored == ["a.csv"]


def test_tool_without_files_waits_for_no_workspace(runner: Runner) -> None:
    runner.run(order(writes=False))
    assert (runner.workspaces.acquisitions, runner.client.started[0].workspace) == ([], None)


@pytest.mark.parametrize("writes", [True, False])
def test_tool_with_inputs_holds_the_workspace_even_if_it_does_not_write(runner: Runner, writes: bool) -> None:  # noqa: FBT001 (a row)
    runner.run(order(writes=writes, inputs=[runner.upload("a.csv")]))
    assert runner.workspaces.acquisitions == [(USER, SESSION_ID)]
    assert runner.client.started[0].writes is writes


def test_workspace_is_held_until_all_files_are_stored(runner: Runner) -> None:
    held: list[list[str]] = []

    def opening(path: str, workspace: Path, max_bytes: int) -> AbstractContextManager[IO[bytes]]:
        held.append(list(runner.workspaces.locked_users))
        return open_artifact(path, workspace, max_bytes)

    runner.open_artifact = opening
    payload = {"results": 1, "artifacts": [{"name": "a", "mime": "a/b", "path": "a"}]}
    runner.client.script = [(0, result_of(payload))]
    runner.run(order())
    assert (held, runner.workspaces.locked_users) == ([[USER]], [])


@pytest.mark.clause("v2.1:isolation:cleanup")
def test_workspace_is_empty_for_another_session(runner: Runner) -> None:
    files_found: list[list[str]] = []

    def leave_secret(workspace: Path) -> None:
        files_found.append([path.name for path in workspace.iterdir()])
        (workspace / "secret").touch()

    runner.client.side_effect = leave_secret
    for session_id in (SESSION_ID, SESSION_ID, OTHER_SESSION_ID):
        runner.run(order(session_id=session_id))
    assert files_found == [[], ["secret"], []]


# Files of the tool


def test_artifacts_are_stored_and_reported(runner: Runner) -> None:
    runner.client.side_effect = writing("report.html", b"<p>")
    path = runner.workspaces.base / USER / "report.html"
    runner.client.script = [
        (
            0,
            result_of(
                {
                    "results": "done",
                    "artifacts": [
                        {"name": "report.html", "mime": "text/html", "path": str(path)},
                        {"name": "chart.png", "mime": "image/png", "b64": b64encode(b"png").decode()},
                        {"name": "passwd", "mime": "text/plain", "path": "/etc/passwd"},
                    ],
                    "display": {"open_canvas": True, "primary_file": "report.html"},
                }
            ),
        )
    ]
    report = runner.report(order())
    assert [(file.artifact.name, runner.store.objects[file.key].body) for file in report.files] == [
        ("report.html", b"<p>"),
        ("chart.png", b"png"),
    ]
    assert report.problems == [
        ArtifactProblem(name="passwd", code=ErrorCode.E_INVALID_PATH, reason="File operation outside allowed directory")
    ]
    assert (report.results, report.is_error) == ("done", False)
    assert report.display == Display(open_canvas=True, primary_file="report.html")


@pytest.mark.clause("v2:artifacts:persisted", "v2.1:processing:no-path")
def test_report_contains_neither_bytes_nor_paths(runner: Runner) -> None:
    blob = b64encode(b"x" * 5000).decode()
    payload = {"results": {"blob": blob}, "artifacts": [{"name": "a", "mime": "a/b", "b64": blob, "path": "/tmp/x"}]}
    runner.client.script = [(0, result_of(payload))]
    runner.run(order())
    text = runner.reports.stored[order().call_id]
    assert isinstance(text, str)
    assert (blob in text, "/tmp/x" in text) == (False, False)


@pytest.mark.clause("v2.1:output:detected")
def test_undeclared_file_is_stored(runner: Runner) -> None:
    runner.client.side_effect = writing("left.csv", b"a,b")
    (stored,) = runner.report(order()).files
    assert (stored.artifact.name, stored.declared, runner.store.objects[stored.key].body) == ("left.csv", False, b"a,b")


def test_old_files_and_inputs_are_not_stored(runner: Runner) -> None:
    runner.client.side_effect = writing("old.csv")
    runner.run(order())
    runner.client.side_effect = lambda _home: None
    assert runner.report(order(inputs=[runner.upload("a.csv")])).files == []


@pytest.mark.clause("v2.1:isolation:no-username-no-files")
@pytest.mark.parametrize("change", [{"collect": False}, {"writes": False}])
def test_nothing_is_collected_if_disabled_or_if_the_tool_cannot_write(runner: Runner, change: dict[str, bool]) -> None:
    runner.client.side_effect = writing("left.csv")
    assert runner.report(order(inputs=[runner.upload("a.csv")]).model_copy(update=change)).files == []


@pytest.mark.clause("v1:results:large-to-file")
def test_long_results_are_stored_as_a_file(runner: Runner) -> None:
    runner.client.script = [(0, result_of({"results": "x" * 50_000}))]
    report = runner.report(order(writes=False))
    (whole,) = report.files
    assert (whole.artifact.name, whole.declared) == ("summarise_results.txt", False)
    assert len(runner.store.objects[whole.key].body) == 50_000
    assert len(report.results) < 30_000


@pytest.mark.clause("v1:extract:wrapped-text")
def test_result_is_unwrapped_by_its_output_schema(runner: Runner) -> None:
    runner.client.script = [(0, result_of({"result": {"results": 5}}))]
    schema = {"type": "object", "x-fastmcp-wrap-result": True}
    assert runner.report(order().model_copy(update={"output_schema": schema})).results == 5


OUTPUT_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("raw", "problems"),
    [
        ({"structuredContent": {"n": 1}}, None),
        ({"structuredContent": {"n": "no integer"}}, ["n is no integer"]),
        ({"structuredContent": {}}, ["n is missing"]),
        ({"content": [{"type": "text", "text": "1"}]}, ["the result has no structured content"]),
        ({"structuredContent": {}, "isError": True}, None),
    ],
)
def test_result_that_violates_the_output_schema_says_so(
    runner: Runner, raw: dict[str, Any], problems: list[str] | None
) -> None:
    runner.client.script = [(1, ToolResult(raw={"content": [], **raw}))]
    report = runner.report(order().model_copy(update={"output_schema": OUTPUT_SCHEMA}))
    assert (report.meta_data or {}).get("output_schema_problems") == problems


def test_edited_input_file_is_a_file_of_the_result(runner: Runner) -> None:
    inputs = [runner.upload("a.csv"), runner.upload("unchanged.csv")]
    runner.client.side_effect = writing("input_files/a.csv", b"edited")
    (file,) = runner.report(order(inputs=inputs)).files

    assert (file.artifact.name, file.declared) == ("a.csv", False)
    assert runner.store.objects[file.key].body == b"edited"


def test_task_of_the_server_ends_the_run_with_the_wait_before_its_first_poll(runner: Runner) -> None:
    runner.client.script = [(1, TaskRunning(task_id="t-1", poll_seconds=4))]
    sent = waiting(runner, 10)
    assert runner.run(sent) is None

    report = runner.reports.read(sent)
    assert report is not None
    assert report.task == ReportedTask(task_id="t-1", wait_seconds=5)
    assert runner.callback.failed == [("task", POLL_ERRORS[5])]


def test_poll_asks_for_the_task_and_adds_the_time_before(runner: Runner) -> None:
    poll = order().model_copy(update={"task_id": "t-1", "polls": 3, "earlier_ms": 60_000, "writes": False})

    assert runner.report(poll).duration_ms == 62_000
    assert runner.client.started[0].task_id == "t-1"
    assert f"{CALL_ID}#3" in runner.claims.claimed_by


# Tools that can ask the user only with the older handshake


CANNOT_ASK = CannotAsk(message="elicitation via server-initiated requests is unavailable")


def restarted(action: str) -> CallOrder:
    """Return the order after the user's answer to the question whether to start the tool again."""
    return order().model_copy(update={"input_round": 1, "responses": {RESTART: {"action": action}}})


def test_user_decides_whether_a_tool_that_could_not_ask_starts_again(runner: Runner) -> None:
    runner.client.script = [(1, CANNOT_ASK)]
    report = runner.report(order())

    assert report.asks is not None
    (question,) = report.asks.questions
    assert (question.key, question.form) == (RESTART, Form(properties={}))
    assert runner.callback.failed == [("task", INPUT_REQUIRED)]
    assert runner.older_client.started == []


def test_restarted_tool_is_called_once_with_the_older_handshake_and_without_answers(runner: Runner) -> None:
    report = runner.report(restarted("accept"))

    assert (report.results, report.asks_while_running) == ("asked", True)
    assert [started.answers for started in runner.older_client.started] == [None]
    assert runner.client.started == []


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_tool_that_the_user_does_not_restart_fails_without_a_call(runner: Runner, action: str) -> None:
    report = runner.report(restarted(action))

    assert (report.is_error, report.asks_while_running) == (True, None)
    assert "did not start it again" in str(report.results)
    assert runner.client.started + runner.older_client.started == []


def test_call_without_further_effects_is_repeated_with_the_older_handshake(runner: Runner) -> None:
    runner.client.script = [(1, CANNOT_ASK)]
    report = runner.report(order().model_copy(update={"may_repeat": True}))

    assert (report.results, report.asks_while_running, report.asks) == ("asked", True, None)


def test_tool_that_is_known_to_ask_while_it_runs_is_called_with_the_older_handshake(runner: Runner) -> None:
    report = runner.report(order().model_copy(update={"asks_while_running": True}))

    assert (report.results, report.asks_while_running) == ("asked", True)
    assert runner.client.started == []


def test_failure_with_the_older_handshake_reports_that_the_tool_may_have_changed(runner: Runner) -> None:
    runner.older_client.script = [(1, CallFailure(crashed=False, message="only exists at MCP 2026-07-28"))]
    report = runner.report(order().model_copy(update={"asks_while_running": True}))

    assert (report.is_error, report.asks_while_running) == (True, False)


def test_tool_that_asks_in_both_ways_fails_after_its_first_question(runner: Runner) -> None:
    runner.client.script = [(1, CANNOT_ASK)]
    report = runner.report(order().model_copy(update={"input_round": 1, "responses": {"it": {"action": "accept"}}}))

    assert (report.is_error, report.asks) == (True, None)
    assert "server-initiated" in str(report.results)
