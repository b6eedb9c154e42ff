"""Calls of built-in tools: checked, stored and published like those of servers."""

from satchel.domain.calls import RunnerReport
from satchel.domain.object_keys import outcome_key
from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.services.calls.runner_report import read_report
from tests.unit.services.samples import MERGE, REGISTRY, SUMMARISE
from tests.unit.services.world import World, call_step

TOOL = "satchel.list_files"


def dispatch(world: World, arguments: str = "{}", tools: list[str] | None = None) -> RunnerReport:
    """Dispatch a call of the tool, and return its report."""
    call = world.call(world.turn(world.session(), tools=tools), TOOL, arguments)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert (world.runners.orders, world.callback.succeeded) == ([], ["task"])
    report = read_report(world.store, outcome_key(call.user, call.turn_id, call.call_id))
    assert report is not None
    return report


def test_call_is_stored_and_published_with_its_arguments(world: World) -> None:
    call = world.call(world.turn(world.session()), TOOL, '{"source": "uploaded"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))

    arguments = {"source": "uploaded"}
    assert world.reload(call) == call.model_copy(update={"injected": arguments, "server": "satchel"})
    payload = {"call_id": call.call_id, "tool": TOOL, "server": "satchel", "arguments": arguments, "app_uri": None}
    assert world.events.payloads(call.turn_id, "tool_start") == [("tool_start", payload)]


def test_turn_limited_to_built_in_tools_can_call_them(world: World) -> None:
    assert not dispatch(world, tools=["satchel"]).is_error


def test_turn_limited_to_other_tools_cannot_call_them(world: World) -> None:
    report = dispatch(world, tools=["report"])

    assert report.results == {"error": "You may not use the tool 'satchel.list_files'"}


def test_invalid_arguments_are_rejected_with_each_problem(world: World) -> None:
    report = dispatch(world, '{"source": 7, "cursor": true}')

    assert report.error_code == "E_INVALID_ARGUMENTS"
    assert len((report.meta_data or {})["details"]["problems"]) == 2


def test_found_tools_are_those_that_the_turn_may_call(world: World) -> None:
    call = world.call(world.turn(world.session()), "satchel.find_tools", '{"query": "summarise or open a report"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    report = read_report(world.store, outcome_key(call.user, call.turn_id, call.call_id))

    assert report is not None
    assert report.results["tools"][0]["tool"] == "report.summarise"
    assert "vault.open" not in str(report.results)


def test_found_tools_are_named_with_the_beginning_of_their_description(world: World) -> None:
    tool = SUMMARISE.model_copy(update={"description": "Summarise a report. " + "x" * 200})
    listing = fresh_tool_list(ToolListing(tools=[tool, MERGE]), world.clock.now())
    world.tool_lists.save("report", REGISTRY.servers["report"].config_hash(), listing)
    turn = world.turn(world.session(), tools=["report.summarise"])
    call = world.call(turn, "satchel.find_tools", '{"query": "summarise or merge a report"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    report = read_report(world.store, outcome_key(call.user, call.turn_id, call.call_id))

    assert report is not None
    found = {"tool": "report.summarise", "description": "Summarise a report. " + "x" * 179 + "…"}
    assert report.results == {"tools": [found]}
