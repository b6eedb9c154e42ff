"""Metrics of tool calls."""

import pytest

from satchel.contract.errors import ToolTimedOut
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.metrics import (
    NO_SERVER,
    TOOL_BYTES_IN,
    TOOL_BYTES_OUT,
    TOOL_CALL_DURATION,
    TOOL_CALLS,
)
from satchel.domain.steps import Failure
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.world import World, call_step, turn_step


def record_twice(world: World, call: Call, report: RunnerReport | None, failure: Failure | None = None) -> None:
    world.use_cases.dispatch_tool(call_step(call, "task"))
    if report:
        world.store_report(call, report)
    for _ in range(2):  # a state may run twice
        world.use_cases.record_tool_result(call_step(call, failure=failure))


def test_finished_call_is_counted_once_with_duration_and_bytes(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sales.csv"}')
    file = world.stored_file(call, "a.html", b"12345")
    record_twice(world, call, RunnerReport(results=1, duration_ms=1234, files=[file]))
    assert world.metrics.values_of(TOOL_CALLS) == [(1, "report", "ok")]
    assert world.metrics.values_of(TOOL_CALL_DURATION) == [(1234, "report")]
    assert world.metrics.values_of(TOOL_BYTES_IN) == [(8,)]
    assert world.metrics.values_of(TOOL_BYTES_OUT) == [(5,)]


def test_timed_out_call_is_counted_as_a_timeout(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.echo", '{"text": "a"}')
    record_twice(world, call, RunnerReport.from_error(ToolTimedOut(30), 30_000))
    assert world.metrics.values_of(TOOL_CALLS) == [(1, "report", "E_TIMEOUT")]


def test_crashed_call_is_counted_without_a_duration(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.echo", '{"text": "a"}')
    record_twice(world, call, None, Failure(Error="States.HeartbeatTimeout"))
    assert world.metrics.values_of(TOOL_CALLS) == [(1, "report", "E_TOOL_CRASHED")]
    assert world.metrics.values_of(TOOL_CALL_DURATION) == []


@pytest.mark.parametrize("tool", ["made-up-by-a-model.tool", "report.no_such_tool", "vault.open"])
def test_call_without_a_server_is_counted_under_no_server(world: World, tool: str) -> None:
    call = world.call(world.turn(world.session()), tool, "{}")
    record_twice(world, call, None)
    report = "E_FORBIDDEN" if tool == "vault.open" else "E_UNKNOWN_TOOL"
    assert world.metrics.values_of(TOOL_CALLS) == [(1, NO_SERVER, report)]


def test_interrupted_call_is_counted_once(world: World) -> None:
    turn = world.turn(world.session())
    call = world.call(turn, "report.echo", '{"text": "a"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    for _ in range(2):
        world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)
    world.use_cases.record_tool_result(call_step(call))
    assert world.metrics.values_of(TOOL_CALLS) == [(1, "report", "E_CANCELLED")]
