"""What is counted of turns, calls and files."""

import pytest

from satchel.contract.errors import ToolTimedOut
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.conversation import ModelReply, TokenUsage
from satchel.domain.metrics import (
    DOWNLOADED_BYTES,
    NO_SERVER,
    TOKENS_IN,
    TOKENS_OUT,
    TOOL_BYTES_IN,
    TOOL_BYTES_OUT,
    TOOL_CALL_DURATION,
    TOOL_CALLS,
    TOOL_CRASHES,
    TOOL_TIMEOUTS,
    TURN_DURATION,
    TURNS,
    UPLOADED_BYTES,
)
from satchel.domain.steps import Failure
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, call_step, turn_step


def result(world: World, call: Call, outcome: RunnerReport | None, failure: Failure | None = None) -> None:
    world.use_cases.dispatch_tool(call_step(call, "task"))
    if outcome:
        world.store_report(call, outcome)
    for _ in range(2):  # a state may run twice
        world.use_cases.record_tool_result(call_step(call, failure=failure))


def test_a_call_is_counted_once_with_its_time_and_its_bytes(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sales.csv"}')
    made = world.stored_file(call, "a.html", b"12345")
    result(world, call, RunnerReport(results=1, duration_ms=1234, files=[made]))
    assert world.metrics.values_of(TOOL_CALLS) == [(1, "report", "ok")]
    assert world.metrics.values_of(TOOL_CALL_DURATION) == [(1234, "report")]
    assert world.metrics.values_of(TOOL_BYTES_IN) == [(8, "report")]
    assert world.metrics.values_of(TOOL_BYTES_OUT) == [(5, "report")]
    assert world.metrics.values_of(TOOL_TIMEOUTS) == []


def test_a_call_that_the_clock_ended_is_a_time_out(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.echo", '{"text": "a"}')
    result(world, call, RunnerReport.from_error(ToolTimedOut(30), 30_000))
    assert world.metrics.values_of(TOOL_CALLS) == [(1, "report", "E_TIMEOUT")]
    assert world.metrics.values_of(TOOL_TIMEOUTS) == [(1, "report")]


def test_a_call_whose_environment_died_is_a_crash_of_unknown_length(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.echo", '{"text": "a"}')
    result(world, call, None, Failure(Error="States.HeartbeatTimeout"))
    assert world.metrics.values_of(TOOL_CRASHES) == [(1, "report")]
    assert world.metrics.values_of(TOOL_CALL_DURATION) == []


@pytest.mark.parametrize("tool", ["made-up-by-a-model.tool", "report.no_such_tool", "vault.open"])
def test_a_call_that_came_to_no_server_names_none_so_that_a_model_cannot_make_metrics(world: World, tool: str) -> None:
    call = world.call(world.turn(world.session()), tool, "{}")
    result(world, call, None)
    outcome = "E_FORBIDDEN" if tool == "vault.open" else "E_UNKNOWN_TOOL"
    assert world.metrics.values_of(TOOL_CALLS) == [(1, NO_SERVER, outcome)]


def test_a_turn_is_counted_once_by_how_it_ended(world: World) -> None:
    turn = world.turn(world.session())
    world.clock.travel(2.5)
    for _ in range(2):
        world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)
    assert world.metrics.values_of(TURNS) == [(1, "cancelled")]
    assert world.metrics.values_of(TURN_DURATION) == [(2500, "cancelled")]


def test_a_call_that_was_cut_off_is_counted_once_too(world: World) -> None:
    turn = world.turn(world.session())
    call = world.call(turn, "report.echo", '{"text": "a"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    for _ in range(2):
        world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)
    world.use_cases.record_tool_result(call_step(call))
    assert world.metrics.values_of(TOOL_CALLS) == [(1, "report", "E_CANCELLED")]


def test_bytes_that_people_send_and_fetch_are_measured(world: World) -> None:
    record = world.use_cases.upload_file(ALICE, "a.txt", b"1234", None, None)
    url = world.use_cases.mint_links(record)
    world.use_cases.download(record.file_key, url.partition("token=")[2])
    assert world.metrics.values_of(UPLOADED_BYTES) == [(4,)]
    assert world.metrics.values_of(DOWNLOADED_BYTES) == [(4,)]


def test_the_tokens_of_an_answer_are_counted_by_its_model(world: World) -> None:
    world.model.replies = [ModelReply(text="Hello.", usage=TokenUsage(input_tokens=120, output_tokens=8))]
    turn = world.turn(world.session())
    for _ in range(2):  # the second time it is not asked
        world.use_cases.think(turn_step(turn))
    assert world.metrics.values_of(TOKENS_IN) == [(120, "fake:quick")]
    assert world.metrics.values_of(TOKENS_OUT) == [(8, "fake:quick")]


def test_a_model_that_does_not_count_has_no_figures(world: World) -> None:
    world.model.replies = [ModelReply(text="Hello.")]
    world.use_cases.think(turn_step(world.turn(world.session())))
    assert world.metrics.values_of(TOKENS_IN) == []
