"""One call where foreign code may run: claimed once, brought its files, called, collected, handed over."""

import json
import threading
from base64 import b64encode
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import pytest

from satchel.contract import ArtifactProblem, Display, ErrorCode
from satchel.domain.calls import Outcome
from satchel.ports.runners import CallOrder, InputFile
from satchel.ports.tool_client import Answered, Failed, Log
from tests.fakes.tool_client import Started
from tests.fakes.user_area import open_inside
from tests.unit.services.orders import CALL_ID, OTHER_SESSION_ID, SESSION_ID, TURN_ID, USER, order
from tests.unit.services.runner import Runner, answered


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_a_call_is_made_and_its_outcome_handed_over(runner: Runner) -> None:
    assert runner.outcome(order()) == Outcome(results={"rows": 3}, duration_ms=2000)
    home = runner.area.base / USER
    assert runner.client.started == [Started("summarise", {"filename": "a.csv"}, home, writes=True)]
    assert (runner.callback.ended, runner.client.open, runner.area.held) == (["task"], 0, [])


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
    call = runner.calls.get(TURN_ID, CALL_ID)
    assert call is not None
    assert (call.claimed_by, len(runner.client.started), runner.callback.ended) == ("first", 1, ["task"])


def test_what_the_tool_says_meanwhile_is_told(runner: Runner) -> None:
    runner.client.script = [(1, Log(level="info", message="Reading")), (2, answered({"results": 1}))]
    runner.run(order())
    assert runner.events.told(TURN_ID) == [("tool_log", {"call_id": CALL_ID, "level": "info", "message": "Reading"})]


# The person's corner


def test_files_are_brought_before_the_tool_is_called(runner: Runner) -> None:
    found: list[str] = []
    runner.client.acts = lambda home: found.extend(path.name for path in (home / "input_files").iterdir())
    runner.run(order(inputs=[runner.uploaded("a.csv")]))
    assert found == ["a.csv"]


def test_a_tool_that_neither_reads_nor_writes_files_waits_for_no_corner(runner: Runner) -> None:
    runner.run(order(writes=False))
    assert (runner.area.holds, runner.client.started[0].home) == ([], None)


@pytest.mark.parametrize("writes", [True, False])
def test_a_tool_that_reads_files_has_the_corner_whether_it_writes_or_not(runner: Runner, writes: bool) -> None:  # noqa: FBT001 (a row)
    runner.run(order(writes=writes, inputs=[runner.uploaded("a.csv")]))
    assert runner.area.holds == [(USER, SESSION_ID)]
    assert runner.client.started[0].writes is writes


def test_the_corner_is_held_until_all_is_collected(runner: Runner) -> None:
    held: list[list[str]] = []

    def looking(path: str, home: Path, most: int) -> AbstractContextManager[IO[bytes]]:
        held.append(list(runner.area.held))
        return open_inside(path, home, most)

    runner.open_artifact = looking
    made = {"results": 1, "artifacts": [{"name": "a", "mime": "a/b", "path": "a"}]}
    runner.client.script = [(0, answered(made))]
    runner.run(order())
    assert (held, runner.area.held) == ([[USER]], [])


def test_another_session_finds_the_corner_empty(runner: Runner) -> None:
    left: list[list[str]] = []

    def act(home: Path) -> None:
        left.append([path.name for path in home.iterdir()])
        (home / "secret").touch()

    runner.client.acts = act
    for session_id in (SESSION_ID, SESSION_ID, OTHER_SESSION_ID):
        runner.expect_call()
        runner.run(order(session_id=session_id))
    assert left == [[], ["secret"], []]


# What the tool made


def writing(name: str, body: bytes = b"") -> Callable[[Path], None]:
    """Return a tool that writes a file."""

    def act(home: Path) -> None:
        (home / name).write_bytes(body)

    return act


def test_what_the_tool_made_is_stored_and_what_it_said_of_it_handed_over(runner: Runner) -> None:
    runner.client.acts = writing("report.html", b"<p>")
    path = runner.area.base / USER / "report.html"
    runner.client.script = [
        (
            0,
            answered(
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
    outcome = runner.outcome(order())
    assert [(file.name, runner.store.objects[file.key].body) for file in outcome.files] == [
        ("report.html", b"<p>"),
        ("chart.png", b"png"),
    ]
    assert outcome.problems == [
        ArtifactProblem(name="passwd", code=ErrorCode.E_INVALID_PATH, reason="File operation outside allowed directory")
    ]
    assert (outcome.results, outcome.is_error) == ("made", False)
    assert outcome.display == Display(open_canvas=True, primary_file="report.html")


def test_neither_bytes_nor_paths_are_in_the_outcome(runner: Runner) -> None:
    blob = b64encode(b"x" * 5000).decode()
    made = {"results": {"blob": blob}, "artifacts": [{"name": "a", "mime": "a/b", "b64": blob, "path": "/tmp/x"}]}
    runner.client.script = [(0, answered(made))]
    runner.run(order())
    text = runner.store.objects[order().outcome_key].body.decode()
    assert (blob in text, "/tmp/x" in text) == (False, False)


# Ends of another kind


def failed(outcome: Outcome) -> tuple[ErrorCode | None, str]:
    assert outcome.is_error
    return outcome.error_code, outcome.results["error"]


def test_a_silent_tool_has_timed_out_and_what_it_had_made_is_left_behind(runner: Runner) -> None:
    runner.client.acts = writing("partial.html")
    runner.client.script = []
    outcome = runner.outcome(order())
    assert failed(outcome) == (ErrorCode.E_TIMEOUT, "Tool execution timed out after 30 seconds")
    assert (outcome.files, outcome.duration_ms) == ([], 30_000)
    assert runner.client.running[0].killed_at is not None


@pytest.mark.parametrize(("crashed", "code"), [(True, ErrorCode.E_TOOL_CRASHED), (False, ErrorCode.E_TOOL_FAILED)])
def test_a_call_without_a_result_says_why(runner: Runner, crashed: bool, code: ErrorCode) -> None:  # noqa: FBT001 (a row)
    runner.client.script = [(1, Failed(crashed=crashed, message="It is gone"))]
    assert failed(runner.outcome(order())) == (code, "It is gone")
    assert runner.callback.ended == ["task"]


def test_a_server_that_cannot_be_started_has_crashed(runner: Runner) -> None:
    runner.client.broken = True
    assert failed(runner.outcome(order())) == (ErrorCode.E_TOOL_CRASHED, "The server did not start")


def test_a_file_that_cannot_be_brought_is_named_and_no_tool_runs(runner: Runner) -> None:
    missing = InputFile(name="a.csv", url=runner.store.link("gone", 900), size=1, etag="e")
    outcome = runner.outcome(order(inputs=[missing]))
    assert failed(outcome) == (ErrorCode.E_TOOL_FAILED, "The file 'a.csv' cannot be fetched (HTTP 404)")
    assert runner.client.started == []


def test_a_mistake_of_the_runner_ends_the_call_with_a_word_and_a_trace(
    runner: Runner, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_home: Path) -> None:
        raise OSError(28, "No space left on device")

    runner.client.acts = full
    assert failed(runner.outcome(order())) == (
        ErrorCode.E_TOOL_FAILED,
        "The tool could not be run: [Errno 28] No space left on device",
    )
    assert runner.callback.ended == ["task"]
    assert [(record.message, record.exc_info is not None) for record in caplog.records] == [("the runner failed", True)]


def test_an_answer_that_is_nested_beyond_bounds_is_an_error_not_the_end_of_the_runner(runner: Runner) -> None:
    nested: list[object] = []
    nested.append(nested)
    runner.client.script = [(0, Answered.model_construct(raw={"structuredContent": {"results": nested}}))]
    assert failed(runner.outcome(order()))[0] == ErrorCode.E_TOOL_FAILED


# Ended from outside


def test_a_cancelled_call_is_killed_and_leaves_no_outcome(runner: Runner) -> None:
    runner.client.script = None  # stuck until it is killed
    runner.beat_seconds, runner.callback.gone = 0, True
    runner.run(order())
    assert runner.client.running[0].killed_at is not None
    assert (runner.store.written, runner.callback.ended) == ([], [])
    assert (runner.client.open, runner.area.held) == (0, [])


def test_a_call_that_is_cancelled_while_its_files_come_is_killed_as_soon_as_it_runs(runner: Runner) -> None:
    told = threading.Event()
    runner.client.script = None
    runner.beat_seconds, runner.callback.gone = 0, True
    runner.callback.on_beat = told.set

    def until_the_pulse_knows(_home: Path) -> None:
        assert told.wait(20)

    runner.client.acts = until_the_pulse_knows
    runner.run(order())
    assert runner.client.running[0].killed_at is not None
    assert (runner.store.written, runner.callback.ended) == ([], [])


def test_the_pulse_goes_on_while_the_tool_is_silent(runner: Runner) -> None:
    beats = threading.Semaphore(0)
    runner.beat_seconds, runner.callback.on_beat = 0, beats.release

    def wait_for_three(_home: Path) -> None:
        assert all(beats.acquire(timeout=20) for _ in range(3))

    runner.client.acts = wait_for_three
    runner.run(order())
    assert set(runner.callback.beats) == {"task"}
    assert runner.callback.ended == ["task"]


def test_no_secret_of_the_order_is_logged_or_handed_over(runner: Runner, caplog: pytest.LogCaptureFixture) -> None:
    sent = order()
    secrets = CallOrder.model_validate_json(sent.model_dump_json()).credentials
    secrets.secret_access_key = "very-secret"
    runner.client.script = [(1, Failed(crashed=True, message="gone"))]
    runner.run(sent.model_copy(update={"credentials": secrets, "task_token": "token-of-the-task"}))
    seen = json.dumps([kept.body.decode() for kept in runner.store.objects.values()]) + caplog.text
    assert ("very-secret" in seen, "token-of-the-task" in seen) == (False, False)
