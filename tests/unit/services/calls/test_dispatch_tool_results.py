"""The end of short calls: Dispatch waits for their runner and records their results."""

import json
import threading

import pytest

from satchel.contract import Canvas, ToolCrashed
from satchel.domain.calls import Call, CallResult, RunnerReport
from satchel.domain.ids import CanvasId
from satchel.domain.inputs import Question, RequestedInput
from satchel.domain.servers import Registry
from satchel.domain.steps import CallStep, Failure
from satchel.domain.tasks import ReportedTask
from satchel.ports.runners import CallOrder, RunnerAnswer
from satchel.ports.steps import CallRecords
from satchel.services.calls.dispatch_tool import MAX_WAIT
from tests.unit.services.samples import REGISTRY
from tests.unit.services.wiring import CANVAS_ORIGINS
from tests.unit.services.world import World, call_step

DONE = RunnerReport(results="done", duration_ms=20)
SIGN_IN = Question(key="sign-in", mode="url", message="Sign in", url="https://bank.example/in")


@pytest.fixture
def call(world: World) -> Call:
    return world.call(world.turn(world.session()), "report.echo", "{}")


def dispatch(world: World, call: Call) -> CallResult | None:
    world.use_cases.dispatch_tool(call_step(call, "task"))
    return world.reload(call).result


def report(world: World, reported: RunnerReport, *, ends_in_time: bool = True) -> None:
    """Let the runner store this report."""

    def run(order: CallOrder) -> RunnerAnswer | None:
        world.reports.save(order, reported)
        return RunnerAnswer(report=reported, has_events=False) if ends_in_time else None

    world.runners.on_run = run


def crash(world: World, reported: RunnerReport | None = None) -> None:
    """Let the runner end like a killed process, after it has stored a report, if any."""

    def run(order: CallOrder) -> RunnerAnswer | None:
        if reported:
            world.reports.save(order, reported)
        raise ToolCrashed("The runner ended: killed")

    world.runners.on_run = run


def test_result_of_a_short_call_is_recorded_before_its_task_succeeds(world: World, call: Call) -> None:
    report(world, DONE)
    recorded: list[bool] = []
    world.callback.on_end = lambda: recorded.append(world.reload(call).result is not None)

    assert dispatch(world, call) == CallResult(is_error=False, results="done", duration_ms=20)
    assert (recorded, world.callback.succeeded) == ([True], ["task"])
    kinds = [kind for kind, _ in world.events.payloads(call.turn_id)][1:]
    assert kinds == ["tool_start", "tool_complete"]


def test_first_run_of_a_short_call_is_recorded_without_another_reading(
    world: World, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    report(world, DONE)
    monkeypatch.delattr(type(world.steps), "read_ended_call")
    assert dispatch(world, call) == CallResult(is_error=False, results="done", duration_ms=20)


def test_call_that_a_timeout_has_ended_meanwhile_leaves_no_file_and_no_dashboard(world: World, call: Call) -> None:
    canvas = Canvas(id="monitor-42", url=f"{CANVAS_ORIGINS[0]}/live")
    files = [world.stored_file(call, "late.html")]

    def run(order: CallOrder) -> RunnerAnswer:
        world.finish_call(call, failure=Failure(Error="States.HeartbeatTimeout"))
        late = RunnerReport(results="late", files=files, canvas=canvas)
        world.reports.save(order, late)
        return RunnerAnswer(report=late, has_events=False)

    world.runners.on_run = run
    result = dispatch(world, call)

    assert result is not None
    assert result.error_code == "E_TOOL_CRASHED"
    assert world.files.list_for_session(call.user, call.session_id) == []
    assert world.dashboards.get(call.user, CanvasId("monitor-42"), call.session_id) is None


def test_credentials_are_requested_once_and_beside_the_reading(
    world: World, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a remote server depend on the call, so this is for deployments without one."""
    local = {name: entry for name, entry in REGISTRY.servers.items() if not entry.is_remote}
    world.registry = Registry(servers=local)
    requested, read_call = threading.Event(), world.steps.read_call
    world.credentials.on_request = requested.set

    def read_late(_steps: object, step: CallStep) -> CallRecords:
        assert requested.wait(60), "the credentials are requested after the reading"
        return read_call(step)

    monkeypatch.setattr(type(world.steps), "read_call", read_late)
    dispatch(world, call)
    assert len(world.credentials.conversations) == 1


def lose_answer(world: World, reported: RunnerReport | None) -> None:
    """Let the runner store this report, if any, and its answer arrive too late."""

    def run(order: CallOrder) -> RunnerAnswer | None:
        if reported:
            world.reports.save(order, reported)
        raise TimeoutError

    world.runners.on_run = run


def test_short_call_whose_answer_is_lost_is_recorded_from_its_report(world: World, call: Call) -> None:
    lose_answer(world, DONE)

    assert dispatch(world, call) == CallResult(is_error=False, results="done", duration_ms=20)
    assert world.callback.succeeded == ["task"]


@pytest.mark.parametrize(
    "reported",
    [
        None,
        RunnerReport(task=ReportedTask(task_id="t", wait_seconds=5)),
        RunnerReport(asks=RequestedInput(questions=[SIGN_IN], state=None)),
    ],
    ids=["slow-tool", "task", "question"],
)
def test_call_without_an_answer_is_left_to_its_runner_unless_it_has_ended(
    world: World, call: Call, reported: RunnerReport | None
) -> None:
    lose_answer(world, reported)

    assert dispatch(world, call) is None
    assert (world.callback.succeeded, world.callback.failed) == ([], [])


def test_events_of_a_short_call_are_added_before_its_result(world: World, call: Call) -> None:
    def run(order: CallOrder) -> RunnerAnswer | None:
        log = {"type": "tool_log", "call_id": call.call_id, "level": "info", "message": "Working"}
        world.reported_events.documents[call.call_id] = [json.dumps(log)]
        world.reports.save(order, DONE)
        return RunnerAnswer(report=DONE, has_events=True)

    world.runners.on_run = run
    dispatch(world, call)
    kinds = [kind for kind, _ in world.events.payloads(call.turn_id)][1:]
    assert kinds == ["tool_start", "tool_log", "tool_complete"]
    assert world.callback.succeeded == ["task"]


def test_stored_report_counts_more_than_the_answer_of_a_repeated_run(world: World, call: Call) -> None:
    """The runner of the first run has claimed the call. Another one may answer something else."""
    dispatch(world, call)
    world.reports.save(call, DONE)
    forged = RunnerAnswer(report=RunnerReport(results="of the second run"), has_events=False)
    world.runners.on_run = lambda _order: forged
    result = dispatch(world, call)
    assert result is not None
    assert result.results == "done"


def test_runner_learns_how_long_dispatch_waits(world: World, call: Call) -> None:
    dispatch(world, call)
    [(_, order)] = world.runners.orders
    assert order.waits_until == world.clock.now() + MAX_WAIT


def test_result_of_a_slow_call_is_left_to_the_next_state(world: World, call: Call) -> None:
    report(world, DONE, ends_in_time=False)
    assert dispatch(world, call) is None
    assert world.callback.succeeded == []

    assert world.finish_call(call).results == "done"


def test_call_whose_runner_crashes_fails_at_once_with_the_reason(world: World, call: Call) -> None:
    crash(world)
    result = dispatch(world, call)
    assert result is not None
    assert (result.error_code, result.results) == ("E_TOOL_CRASHED", {"error": "The runner ended: killed"})
    assert world.callback.succeeded == ["task"]


def test_report_counts_more_than_the_crash_of_its_runner(world: World, call: Call) -> None:
    crash(world, DONE)
    result = dispatch(world, call)
    assert result is not None
    assert result.results == "done"


def test_call_whose_runner_says_that_it_ended_without_a_report_has_crashed(world: World, call: Call) -> None:
    world.runners.on_run = lambda _order: RunnerAnswer()
    result = dispatch(world, call)
    assert result is not None
    assert result.error_code == "E_TOOL_CRASHED"


def test_result_is_recorded_once_if_the_next_state_records_it_too(world: World, call: Call) -> None:
    report(world, DONE)
    dispatch(world, call)
    world.reports.save(call, RunnerReport(results="forged later"))
    assert world.finish_call(call, failure=Failure(Error="States.Timeout")).results == "done"
    assert len(world.events.payloads(call.turn_id, "tool_complete")) == 1


def test_questions_of_a_call_that_has_ended_meanwhile_are_not_asked(world: World, call: Call) -> None:
    world.finish_call(call, DONE)
    world.store_report(call, RunnerReport(asks=RequestedInput(questions=[SIGN_IN], state=None)))
    world.use_cases.ask_input(call_step(call, "asking").model_copy(update={"asks": True}))
    assert (world.callback.succeeded, world.events.payloads(call.turn_id, "input_requested")) == (["asking"], [])
