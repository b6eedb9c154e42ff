"""Tasks of servers: what is stored about them, how Dispatch polls them, and when they are cancelled."""

import pytest

from satchel.contract.errors import ErrorCode
from satchel.domain.calls import Call, CallResult, RunnerReport
from satchel.domain.inputs import InputAnswer, Question, RequestedInput
from satchel.domain.steps import MAX_POLLS_IN_TURN, POLL_ERRORS, TurnStep
from satchel.domain.tasks import ReportedTask, seconds_to_poll
from satchel.ports.tool_client import ServerSession
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, call_step

TASK = ReportedTask(task_id="t-1", wait_seconds=1)
LINK = Question(key="sign-in", mode="url", message="Sign in", url="https://bank.example/in")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def call(world: World) -> Call:
    """Return a call on which its server works as a task."""
    call = world.call(world.turn(world.session()), "report.echo", "{}")
    world.use_cases.dispatch_tool(call_step(call, "first"))
    world.store_report(call, RunnerReport(task=TASK))
    return call


def poll(world: World, call: Call, token: str = "poll") -> None:  # noqa: S107  (not a password)
    world.use_cases.dispatch_tool(call_step(call, token))


def report_of(world: World, call: Call) -> RunnerReport:
    report = world.reports.read(call)
    assert report is not None
    return report


def result_of(world: World, call: Call) -> CallResult:
    result = world.reload(call).result
    assert result is not None
    return result


def test_each_poll_is_a_run_of_its_own(world: World, call: Call) -> None:
    poll(world, call)
    world.clock.advance(60)
    poll(world, call)

    first, *polls = [order for _, order in world.runners.orders]
    assert (first.task_id, first.run) == (None, 0)
    assert [(order.task_id, order.run, order.earlier_ms, order.writes) for order in polls] == [
        ("t-1", 1, 0, False),
        ("t-1", 2, 60_000, False),
    ]
    assert [kind for kind, _ in world.events.payloads(call.turn_id, "tool_start")] == ["tool_start"]


def test_runner_that_dies_during_a_poll_leaves_no_old_report(world: World, call: Call) -> None:
    poll(world, call)

    report = report_of(world, call)
    assert (report.task, report.error_code) == (None, ErrorCode.E_TOOL_CRASHED)


def test_answers_to_the_questions_of_a_task_are_sent_once(world: World, call: Call) -> None:
    asking = RunnerReport(asks=RequestedInput(questions=[LINK], state=None), task=TASK)
    world.store_report(call, asking)
    world.use_cases.ask_input(call_step(call, "asking").model_copy(update={"asks": True}))
    answer = InputAnswer(input_id="1-0", action="accept")
    world.use_cases.answer_input(ALICE, call.session_id, call.turn_id, call.call_id, answer)
    poll(world, call)
    world.store_report(call, RunnerReport(task=TASK))
    poll(world, call)

    polls = [order for _, order in world.runners.orders][1:]
    assert [(order.task_id, order.run, order.responses) for order in polls] == [
        ("t-1", 2, {"sign-in": {"action": "accept"}}),
        ("t-1", 3, {}),
    ]


def test_turn_polls_its_tasks_at_most_250_times(world: World, call: Call) -> None:
    poll(world, call)
    (stored,) = world.call_tasks.list(call.turn_id)
    world.call_tasks.save(stored.model_copy(update={"polls": MAX_POLLS_IN_TURN}))
    world.clock.advance(3600)
    poll(world, call)

    result = result_of(world, call)
    assert result.error_code == ErrorCode.E_TIMEOUT
    assert "3600 seconds" in str(result.results)
    assert world.runners.cancelled_tasks == [("report", call.user, "t-1", None)]


def test_tasks_of_an_ended_turn_are_cancelled_in_their_mcp_session(world: World, call: Call) -> None:
    poll(world, call)
    opened = ServerSession(session_id="s", handshake="{}")
    world.server_session_remover.stored[call.session_id, "report"] = opened
    world.use_cases.cancel_tasks(TurnStep(user=call.user, session_id=call.session_id, turn_id=call.turn_id))

    assert world.runners.cancelled_tasks == [("report", call.user, "t-1", opened)]


def test_finished_tasks_are_not_cancelled(world: World, call: Call) -> None:
    poll(world, call)
    world.finish_call(call, RunnerReport(results="done"))
    world.use_cases.cancel_tasks(TurnStep(user=call.user, session_id=call.session_id, turn_id=call.turn_id))

    assert world.runners.cancelled_tasks == []


def test_polls_become_rarer_but_not_more_frequent_than_the_server_wants() -> None:
    assert [seconds_to_poll(polls, 0.5) for polls in (0, 2, 3, 7, 8, 17, 18, 200)] == [1, 1, 5, 5, 30, 30, 300, 300]
    assert [seconds_to_poll(0, interval) for interval in (1, 1.5, 5, 29, 31, 1e9)] == [1, 5, 5, 30, 300, 300]
    assert {seconds_to_poll(polls, 0) for polls in range(30)} == POLL_ERRORS.keys()
