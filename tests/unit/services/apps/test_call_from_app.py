"""Calls of apps: turns of their own, which pass the checks of all calls."""

from dataclasses import replace

import pytest

from satchel.domain.apps import AppState, state_key
from satchel.domain.calls import Decision, RunnerReport
from satchel.domain.conversation import ToolHints, ToolSpec
from satchel.domain.errors import AppNotFound, FileNotFound, NotAllowed, SessionEnded, TooLarge, TooManyTurns
from satchel.domain.ids import call_id
from satchel.domain.servers import Registry
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.domain.turn_messages import messages_of
from satchel.services.apps.call_from_app import AppCallRequest, AppCallResult, CallFromApp
from tests.unit.services.apps.app_files import opened
from tests.unit.services.samples import ALICE, BOB, ECHO, REGISTRY
from tests.unit.services.world import World, call_step, turn_step

RESULT = {"content": [], "structuredContent": {"rows": 3}}


def list_tools(world: World, *tools: ToolSpec) -> None:
    """Store these tools as those of the server ``report``."""
    config_hash = REGISTRY.servers["report"].config_hash()
    world.tool_lists.save("report", config_hash, fresh_tool_list(ToolListing(tools=list(tools)), world.clock.now()))


def start(world: World, tool: str = "echo", **arguments: object) -> Turn:
    """Let an app of the server ``report`` call a tool."""
    _, app = opened(world)
    return world.use_cases.call_from_app(ALICE, app.file_key, None, AppCallRequest(tool=tool, arguments=arguments))


def replace_registry(world: World) -> CallFromApp:
    """Return the use case of a deployment that has no servers any more."""
    use_case = world.use_cases.call_from_app
    tools = replace(use_case.read.tools, registry=Registry(servers={}))
    return replace(use_case, read=replace(use_case.read, tools=tools))


def run(world: World, turn: Turn) -> str | None:
    """Run a turn of an app until its runner gets the call. Return the error code if Dispatch rejects the call."""
    [ref] = world.use_cases.think(turn_step(turn)).calls
    call = world.calls.get(turn.turn_id, ref.call_id)
    assert call is not None
    world.use_cases.dispatch_tool(call_step(call, "task"))
    result = world.reload(call).result
    return result.error_code if result else None


def test_call_of_an_app_whose_server_is_gone_is_refused_with_the_name_of_the_server(world: World) -> None:
    _, app = opened(world)
    call = replace_registry(world)
    with pytest.raises(NotAllowed, match="no server 'report'"):
        call(ALICE, app.file_key, None, AppCallRequest(tool="echo"))


def test_call_of_an_app_is_a_turn_without_a_model_and_a_message(world: World) -> None:
    turn = start(world, text="hi")
    messages = list(messages_of(world.transcript.list_turns(turn.session_id)))
    assert world.workflow.started[-1] == (ALICE.name, turn.session_id, turn.turn_id)
    assert run(world, turn) is None
    order = world.runners.orders[-1][1]
    assert (order.tool, order.arguments, order.from_app, order.app_uri) == ("echo", {"text": "hi"}, True, None)
    call = world.calls.get(turn.turn_id, call_id(turn.turn_id, 0, 0))
    assert call is not None
    world.finish_call(call, RunnerReport(results={"rows": 3}))
    world.put(
        state_key(call.user, call.call_id), AppState(result=RESULT).model_dump_json().encode(), "application/json"
    )
    assert world.use_cases.think(turn_step(turn, 1)).done
    assert world.use_cases.finish_turn(turn_step(turn, 2)) is TurnStatus.COMPLETE
    assert world.model.requests == []
    assert list(messages_of(world.transcript.list_turns(turn.session_id))) == messages
    assert turn.turn_id not in {t.turn_id for t in world.turns.list(turn.session_id, 50, None).items}
    assert world.use_cases.read_app_call(ALICE, turn.session_id, turn.turn_id) == AppCallResult(
        turn_id=turn.turn_id, session_id=turn.session_id, result=RESULT
    )


def test_tool_that_only_apps_may_call_runs_for_an_app(world: World) -> None:
    list_tools(world, ECHO.model_copy(update={"for_model": False}))
    assert run(world, start(world, text="x")) is None


def test_call_of_an_app_opens_no_other_app(world: World) -> None:
    list_tools(world, ECHO.model_copy(update={"app_uri": "ui://report/page"}))
    turn = start(world, text="x")
    assert run(world, turn) is None
    [(_, order)] = world.runners.orders
    assert (order.from_app, order.app_uri) == (True, None)
    ((_, payload),) = world.events.payloads(turn.turn_id, "tool_start")
    assert payload["app_uri"] is None


def test_tool_that_no_app_may_call_is_rejected(world: World) -> None:
    list_tools(world, ECHO.model_copy(update={"for_app": False}))
    turn = start(world, text="x")
    assert run(world, turn) == "E_FORBIDDEN"
    assert world.runners.orders == []


@pytest.mark.parametrize(("tool", "code"), [("missing", "E_UNKNOWN_TOOL"), ("echo", "E_INVALID_ARGUMENTS")])
def test_unknown_tools_and_invalid_arguments_are_rejected(world: World, tool: str, code: str) -> None:
    assert run(world, start(world, tool, text=7)) == code


def test_destructive_tool_waits_for_approval(world: World) -> None:
    list_tools(world, ECHO.model_copy(update={"hints": ToolHints(destructive=True)}))
    turn = start(world, text="x")
    [ref] = world.use_cases.think(turn_step(turn)).calls
    assert ref.approval
    call = world.calls.get(turn.turn_id, ref.call_id)
    assert call is not None
    world.use_cases.ask_approval(call, "approval")
    decision = Decision(approved=True, digest=call.digest)
    world.use_cases.decide_approval(ALICE, turn.session_id, turn.turn_id, call.call_id, decision)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert len(world.runners.orders) == 1


def test_destructive_tool_without_approval_is_rejected(world: World) -> None:
    list_tools(world, ECHO.model_copy(update={"hints": ToolHints(destructive=True)}))
    assert run(world, start(world, text="x")) == "E_FORBIDDEN"


@pytest.mark.parametrize("tool", ["../vault.open", "", "x.y"])
def test_name_stays_on_the_apps_own_server(world: World, tool: str) -> None:
    turn = start(world, tool or "vault.open")
    assert turn.prepared[0].tool.startswith("report.")
    assert run(world, turn) == "E_UNKNOWN_TOOL"


def test_app_of_another_user_makes_no_calls(world: World) -> None:
    _, app = opened(world)
    with pytest.raises(FileNotFound):
        world.use_cases.call_from_app(BOB, app.file_key, None, AppCallRequest(tool="echo"))


def test_file_that_is_no_app_makes_no_calls(world: World) -> None:
    record = world.upload("a.html")
    with pytest.raises(AppNotFound):
        world.use_cases.call_from_app(ALICE, record.file_key, None, AppCallRequest(tool="echo"))


def test_app_of_an_ended_session_makes_no_calls(world: World) -> None:
    call, app = opened(world)
    world.sessions.end(ALICE.name, call.session_id, world.clock.now())
    with pytest.raises(SessionEnded):
        world.use_cases.call_from_app(ALICE, app.file_key, None, AppCallRequest(tool="echo"))


def test_calls_of_apps_are_limited_in_each_minute(world: World) -> None:
    _, app = opened(world)
    limited = replace(world.use_cases.call_from_app, max_per_minute=1)
    limited(ALICE, app.file_key, None, AppCallRequest(tool="echo"))
    with pytest.raises(TooManyTurns):
        limited(ALICE, app.file_key, None, AppCallRequest(tool="echo"))


def test_large_arguments_are_rejected(world: World) -> None:
    with pytest.raises(TooLarge):
        start(world, text="x" * 100_001)


def test_error_of_a_call_is_a_result_for_the_app(world: World) -> None:
    turn = start(world, "missing")
    run(world, turn)
    call = world.calls.get(turn.turn_id, call_id(turn.turn_id, 0, 0))
    assert call is not None
    world.use_cases.record_tool_result(call_step(call))
    assert world.use_cases.read_app_call(ALICE, turn.session_id, turn.turn_id).result is None
    world.use_cases.finish_turn(turn_step(turn, 1))
    result = world.use_cases.read_app_call(ALICE, turn.session_id, turn.turn_id).result
    assert result is not None
    assert result["isError"] is True
    assert "report.missing" in result["content"][0]["text"]
