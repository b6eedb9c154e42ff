"""One call where foreign code may run: claimed once, brought its files, called, collected, handed over."""

import threading
from base64 import b64encode
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import pytest

from satchel.contract import ArtifactProblem, Display, ErrorCode
from satchel.domain.calls import RunnerReport
from satchel.ports.tool_client import BlockedAccess, LogMessage, OutsideChange
from tests.fakes.runners import open_inside
from tests.fakes.tool_client import Started
from tests.unit.services.orders import CALL_ID, OTHER_SESSION_ID, SESSION_ID, TURN_ID, USER, order
from tests.unit.services.runner import Runner, result_of, writing


def test_a_call_is_made_and_its_outcome_handed_over(runner: Runner) -> None:
    assert runner.report(order()) == RunnerReport(results={"rows": 3}, duration_ms=2000)
    workspace = runner.workspaces.base / USER
    assert runner.client.started == [Started("summarise", {"filename": "a.csv"}, workspace, writes=True)]
    assert (runner.callback.ended, runner.client.open, runner.workspaces.held) == (["task"], 0, [])


def test_that_the_server_has_other_tools_now_is_handed_over(runner: Runner) -> None:
    answer = result_of({"results": 1}).model_copy(update={"tools_changed": True})
    runner.client.script = [(1, answer)]
    assert runner.report(order()).tools_changed is True


def test_the_outcome_is_stored_before_the_task_is_told(runner: Runner) -> None:
    stored: list[bool] = []
    runner.callback.on_done = lambda: stored.append(order().outcome_key in runner.store.objects)
    runner.run(order())
    assert stored == [True]


def test_the_task_is_told_when_the_pulse_has_ended(runner: Runner) -> None:
    pulses: list[int] = []
    runner.callback.on_done = lambda: pulses.append([t.name for t in threading.enumerate()].count("pulse"))
    runner.run(order())
    assert pulses == [0]


def test_a_call_that_is_delivered_twice_runs_once(runner: Runner) -> None:
    runner.run(order(), "first")
    runner.run(order(), "second")
    claimed_by = runner.claims.claimed_by[TURN_ID, CALL_ID]
    assert (claimed_by, len(runner.client.started), runner.callback.ended) == ("first", 1, ["task"])


def test_what_the_tool_says_meanwhile_is_told(runner: Runner) -> None:
    runner.client.script = [(1, LogMessage(level="info", message="Reading")), (2, result_of({"results": 1}))]
    runner.run(order())
    assert runner.events.told(TURN_ID) == [("tool_log", {"call_id": CALL_ID, "level": "info", "message": "Reading"})]


def test_what_it_was_stopped_from_is_handed_over_and_so_is_what_merely_changed(runner: Runner) -> None:
    runner.client.script = [
        (1, BlockedAccess(path="/etc/x")),
        (1, OutsideChange(path="/tmp/x")),
        (2, result_of({"results": 1})),
    ]
    allowed = f"/tmp/{USER}/"
    assert runner.report(order()).meta_data == {
        "security_violations": [
            {"attempted_path": "/etc/x", "allowed_prefix": allowed},
            {"changed_path": "/tmp/x", "allowed_prefix": allowed, "blocked": False},
        ]
    }


# The person's corner


@pytest.mark.clause("v2.1:files:brought")
def test_files_are_brought_before_the_tool_is_called(runner: Runner) -> None:
    found: list[str] = []
    runner.client.acts = lambda workspace: found.extend(path.name for path in (workspace / "input_files").iterdir())
    runner.run(order(inputs=[runner.upload("a.csv")]))
    assert found == ["a.csv"]


def test_a_tool_that_neither_reads_nor_writes_files_waits_for_no_corner(runner: Runner) -> None:
    runner.run(order(writes=False))
    assert (runner.workspaces.holds, runner.client.started[0].workspace) == ([], None)


@pytest.mark.parametrize("writes", [True, False])
def test_a_tool_that_reads_files_has_the_corner_whether_it_writes_or_not(runner: Runner, writes: bool) -> None:  # noqa: FBT001 (a row)
    runner.run(order(writes=writes, inputs=[runner.upload("a.csv")]))
    assert runner.workspaces.holds == [(USER, SESSION_ID)]
    assert runner.client.started[0].writes is writes


def test_the_corner_is_held_until_all_is_collected(runner: Runner) -> None:
    held: list[list[str]] = []

    def looking(path: str, workspace: Path, most: int) -> AbstractContextManager[IO[bytes]]:
        held.append(list(runner.workspaces.held))
        return open_inside(path, workspace, most)

    runner.open_artifact = looking
    made = {"results": 1, "artifacts": [{"name": "a", "mime": "a/b", "path": "a"}]}
    runner.client.script = [(0, result_of(made))]
    runner.run(order())
    assert (held, runner.workspaces.held) == ([[USER]], [])


@pytest.mark.clause("v2.1:isolation:cleanup")
def test_another_session_finds_the_corner_empty(runner: Runner) -> None:
    left: list[list[str]] = []

    def act(workspace: Path) -> None:
        left.append([path.name for path in workspace.iterdir()])
        (workspace / "secret").touch()

    runner.client.acts = act
    for session_id in (SESSION_ID, SESSION_ID, OTHER_SESSION_ID):
        runner.run(order(session_id=session_id))
    assert left == [[], ["secret"], []]


# What the tool made


def test_what_the_tool_made_is_stored_and_what_it_said_of_it_handed_over(runner: Runner) -> None:
    runner.client.acts = writing("report.html", b"<p>")
    path = runner.workspaces.base / USER / "report.html"
    runner.client.script = [
        (
            0,
            result_of(
                {
                    "results": "made",
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
    outcome = runner.report(order())
    assert [(file.name, runner.store.objects[file.key].body) for file in outcome.files] == [
        ("report.html", b"<p>"),
        ("chart.png", b"png"),
    ]
    assert outcome.problems == [
        ArtifactProblem(name="passwd", code=ErrorCode.E_INVALID_PATH, reason="File operation outside allowed directory")
    ]
    assert (outcome.results, outcome.is_error) == ("made", False)
    assert outcome.display == Display(open_canvas=True, primary_file="report.html")


@pytest.mark.clause("v2:artifacts:persisted", "v2.1:processing:no-path")
def test_neither_bytes_nor_paths_are_in_the_outcome(runner: Runner) -> None:
    blob = b64encode(b"x" * 5000).decode()
    made = {"results": {"blob": blob}, "artifacts": [{"name": "a", "mime": "a/b", "b64": blob, "path": "/tmp/x"}]}
    runner.client.script = [(0, result_of(made))]
    runner.run(order())
    text = runner.store.objects[order().outcome_key].body.decode()
    assert (blob in text, "/tmp/x" in text) == (False, False)


@pytest.mark.clause("v2.1:output:detected")
def test_what_the_tool_made_and_named_nowhere_is_collected(runner: Runner) -> None:
    runner.client.acts = writing("left.csv", b"a,b")
    (found,) = runner.report(order()).files
    assert (found.name, found.declared, runner.store.objects[found.key].body) == ("left.csv", False, b"a,b")


def test_what_lay_there_before_and_what_was_brought_is_not(runner: Runner) -> None:
    runner.client.acts = writing("old.csv")
    runner.run(order())
    runner.client.acts = lambda _home: None
    assert runner.report(order(inputs=[runner.upload("a.csv")])).files == []


@pytest.mark.clause("v2.1:isolation:no-username-no-files")
@pytest.mark.parametrize("change", [{"collect": False}, {"writes": False}])
def test_nothing_is_collected_where_it_is_turned_off_or_the_tool_cannot_write(
    runner: Runner, change: dict[str, bool]
) -> None:
    runner.client.acts = writing("left.csv")
    assert runner.report(order(inputs=[runner.upload("a.csv")]).model_copy(update=change)).files == []


@pytest.mark.clause("v1:results:large-to-file")
def test_results_that_are_too_long_for_a_model_are_kept_whole_as_a_file(runner: Runner) -> None:
    runner.client.script = [(0, result_of({"results": "x" * 50_000}))]
    outcome = runner.report(order(writes=False))
    (whole,) = outcome.files
    assert (whole.name, whole.declared, whole.size) == ("summarise_results.txt", False, 50_000)
    assert len(outcome.results) < 30_000


@pytest.mark.clause("v1:extract:wrapped-text")
def test_what_a_server_wrapped_is_unwrapped_by_what_it_says_of_its_answers(runner: Runner) -> None:
    runner.client.script = [(0, result_of({"result": {"results": 5}}))]
    schema = {"type": "object", "x-fastmcp-wrap-result": True}
    assert runner.report(order().model_copy(update={"output_schema": schema})).results == 5
