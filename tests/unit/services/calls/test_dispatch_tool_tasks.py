"""Polls of tasks: the order that the runner gets, how many a turn may send, and polls that are refused."""

import pytest

from satchel.contract.errors import ErrorCode, ToolCrashed
from satchel.domain.calls import Call, CallResult, RunnerReport
from satchel.domain.inputs import InputAnswer, Question, RequestedInput
from satchel.domain.object_keys import call_objects_prefixes
from satchel.domain.servers import Registry
from satchel.domain.steps import MAX_POLLS_IN_TURN
from satchel.domain.tasks import CallTask, ReportedTask
from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.ports.runners import CallOrder, Conversation, RunnerAnswer
from satchel.ports.tool_client import ServerSession
from tests.unit.services.calls.tool_list_versions import record_versions
from tests.unit.services.samples import ALICE, FETCH, REGISTRY, schema
from tests.unit.services.world import World, call_step

TASK = ReportedTask(task_id="t-1", wait_seconds=1)
STOPPED = ToolCrashed("The tool's environment stopped without returning a result.")
OPENED = ServerSession(session_id="s", handshake="{}")


@pytest.fixture
def call(world: World) -> Call:
    """Return a call of a tool that may write, on which its server works as a task."""
    tool = FETCH.model_copy(update={"input_schema": schema(filename="string", username="string")})
    listing = fresh_tool_list(ToolListing(tools=[tool]), world.clock.now())
    world.tool_lists.save("web.pages", REGISTRY.servers["web.pages"].config_hash(), listing)
    call = world.call(world.turn(world.session()), "web.pages.fetch", '{"filename": "https://a.example"}')
    world.use_cases.dispatch_tool(call_step(call, "first"))
    world.store_report(call, RunnerReport(task=TASK))
    world.server_session_remover.stored[call.session_id, "web.pages"] = OPENED
    return call


def poll(world: World, call: Call) -> None:
    world.use_cases.dispatch_tool(call_step(call, "poll"))


def polls(world: World) -> list[int]:
    return [order.polls for _, order in world.runners.orders[1:]]


def report_of(world: World, call: Call) -> RunnerReport:
    report = world.reports.read(call)
    assert report is not None
    return report


def result_of(world: World, call: Call) -> CallResult:
    result = world.reload(call).result
    assert result is not None
    return result


def save_polls(world: World, call: Call, polls: int, index: int = 0) -> None:
    """Store that a task for the call, or for another one of its turn, was polled so often."""
    call_id = call.call_id[:-1] + str(index)
    task = CallTask(
        call_id=call_id,
        turn_id=call.turn_id,
        server="web.pages",
        task_id=TASK.task_id,
        started_at=world.clock.now(),
        polls=polls,
    )
    world.call_tasks.save(task)


def test_poll_is_the_order_of_the_call_without_the_right_to_write(world: World, call: Call) -> None:
    poll(world, call)

    [(_, first), (server, sent)] = world.runners.orders
    assert first.writes
    assert first.arguments == {"filename": "https://a.example", "username": ALICE.name}
    update = {"task_token": "poll", "task_id": "t-1", "polls": 1, "writes": False}
    assert (server, sent) == ("web.pages", first.model_copy(update=update))
    assert sent.credentials.secret_access_key == " ".join(call_objects_prefixes(ALICE.name, call.call_id))
    assert world.credentials.conversations == [Conversation(call.session_id, "web.pages")] * 2


def test_tool_of_a_poll_is_read_in_the_version_of_the_records(
    world: World, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = record_versions(monkeypatch, 7)
    poll(world, call)
    assert versions == [7]


def test_poll_leaves_the_error_of_a_stopped_runner_as_the_report(world: World, call: Call) -> None:
    poll(world, call)

    assert report_of(world, call) == RunnerReport.from_error(STOPPED, duration_ms=None)
    assert world.reload(call).result is None  # no answer has arrived, so the runner completes the call


def test_answers_to_a_task_leave_the_error_of_a_stopped_runner_as_the_report(world: World, call: Call) -> None:
    link = Question(key="sign-in", mode="url", message="Sign in", url="https://bank.example/in")
    world.store_report(call, RunnerReport(asks=RequestedInput(questions=[link], state=None), task=TASK))
    world.use_cases.ask_input(call_step(call, "asking").model_copy(update={"asks": True}))
    answer = InputAnswer(input_id="1-0", action="accept")
    world.use_cases.answer_input(ALICE, call.session_id, call.turn_id, call.call_id, answer)

    poll(world, call)

    assert report_of(world, call) == RunnerReport.from_error(STOPPED, duration_ms=None)
    assert world.reload(call).result is None  # no answer has arrived, so the runner completes the call


def test_last_poll_that_a_turn_allows_is_sent(world: World, call: Call) -> None:
    save_polls(world, call, MAX_POLLS_IN_TURN - 1)

    poll(world, call)
    assert polls(world) == [MAX_POLLS_IN_TURN]

    poll(world, call)
    assert polls(world) == [MAX_POLLS_IN_TURN]
    assert (result_of(world, call).error_code, world.callback.succeeded) == (ErrorCode.E_TIMEOUT, ["poll"])


def test_polls_of_the_other_tasks_of_the_turn_count_too(world: World, call: Call) -> None:
    save_polls(world, call, 100, index=1)
    save_polls(world, call, MAX_POLLS_IN_TURN - 101, index=2)

    for _ in range(2):
        poll(world, call)

    assert polls(world) == [1]
    assert result_of(world, call).error_code == ErrorCode.E_TIMEOUT


def test_poll_of_a_tool_that_became_forbidden_ends_the_call_and_cancels_the_task(world: World, call: Call) -> None:
    server = REGISTRY.servers["web.pages"].model_copy(update={"groups": ["admins"]})
    world.registry = Registry(servers=REGISTRY.servers | {"web.pages": server})

    poll(world, call)

    assert (polls(world), world.callback.succeeded) == ([], ["poll"])
    assert result_of(world, call).results == {"error": "You may not use the tool 'web.pages.fetch'"}
    assert world.runners.cancelled_tasks == [("web.pages", ALICE.name, "t-1", OPENED)]


def test_result_of_a_poll_that_ends_soon_is_recorded_at_once(world: World, call: Call) -> None:
    done = RunnerReport(results="fetched")

    def run(order: CallOrder) -> RunnerAnswer:
        world.reports.save(order, done)
        return RunnerAnswer(report=done)

    world.runners.on_run = run
    poll(world, call)

    assert result_of(world, call).results == "fetched"
    assert world.callback.succeeded == ["poll"]
