"""Calls of built-in tools: checked, stored and published like those of servers."""

from satchel.domain.calls import CallResult
from satchel.domain.tools import ToolListing, fresh_tool_list
from tests.unit.services.samples import MERGE, REGISTRY, SUMMARISE
from tests.unit.services.world import World, call_step

TOOL = "satchel.list_files"


def dispatch(world: World, arguments: str = "{}", tools: list[str] | None = None) -> CallResult:
    """Dispatch a call of the tool, and return its result."""
    call = world.call(world.turn(world.session(), tools=tools), TOOL, arguments)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert (world.runners.orders, world.callback.succeeded) == ([], ["task"])
    result = world.reload(call).result
    assert result is not None
    return result


def test_call_is_stored_and_published_with_its_arguments(world: World) -> None:
    call = world.call(world.turn(world.session()), TOOL, '{"source": "uploaded"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))

    arguments = {"source": "uploaded"}
    stored = world.reload(call)
    assert (stored.injected, stored.server) == (arguments, "satchel")
    payload = {"call_id": call.call_id, "tool": TOOL, "server": "satchel", "arguments": arguments, "app_uri": None}
    assert world.events.payloads(call.turn_id, "tool_start") == [("tool_start", payload)]


def test_turn_limited_to_built_in_tools_can_call_them(world: World) -> None:
    assert not dispatch(world, tools=["satchel"]).is_error


def test_turn_limited_to_other_tools_cannot_call_them(world: World) -> None:
    result = dispatch(world, tools=["report"])

    assert result.results == {"error": "You may not use the tool 'satchel.list_files'"}


def test_invalid_arguments_are_rejected_with_each_problem(world: World) -> None:
    result = dispatch(world, '{"source": 7, "cursor": true}')

    assert result.error_code == "E_INVALID_ARGUMENTS"
    assert len((result.meta_data or {})["details"]["problems"]) == 2


def test_found_tools_are_those_that_the_turn_may_call(world: World) -> None:
    call = world.call(world.turn(world.session()), "satchel.find_tools", '{"query": "summarise or open a report"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    result = world.reload(call).result

    assert result is not None
    assert result.results["tools"][0]["tool"] == "report.summarise"
    assert "vault.open" not in str(result.results)


def test_found_tools_are_named_with_the_beginning_of_their_description(world: World) -> None:
    tool = SUMMARISE.model_copy(update={"description": "Summarise a report. " + "x" * 200})
    listing = fresh_tool_list(ToolListing(tools=[tool, MERGE]), world.clock.now())
    world.tool_lists.save("report", REGISTRY.servers["report"].config_hash(), listing)
    turn = world.turn(world.session(), tools=["report.summarise"])
    call = world.call(turn, "satchel.find_tools", '{"query": "summarise or merge a report"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    result = world.reload(call).result

    assert result is not None
    found = {"tool": "report.summarise", "description": "Summarise a report. " + "x" * 179 + "…"}
    assert result.results == {"tools": [found]}
