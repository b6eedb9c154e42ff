"""Rejected calls: the error becomes the result of the call, and the task is completed."""

import json
from typing import Any

import pytest

from satchel.contract import ErrorCode
from satchel.domain.calls import Call, CallResult
from satchel.domain.tools import ToolListing, fresh_tool_list
from tests.unit.services.samples import ALICE, BOB, ECHO, MERGE, REGISTRY, SUMMARISE
from tests.unit.services.world import World, call_step


def reject(world: World, call: Call) -> CallResult:
    """Dispatch a call that must not reach a runner, and return its result."""
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert world.runners.orders == []
    assert world.callback.succeeded == ["task"]
    result = world.reload(call).result
    assert result is not None
    return result


def rejection(
    world: World, tool: str, arguments: str = "{}", tools: list[str] | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the error code and the details of a rejected call of Alice."""
    result = reject(world, world.call(world.turn(world.session(), tools=tools), tool, arguments))
    assert result.is_error
    assert result.error_code is not None
    return result.error_code, (result.meta_data or {})["details"]


def test_rejection_is_recorded_as_an_error(world: World) -> None:
    call = world.call(world.turn(world.session()), "vault.open")
    assert reject(world, call) == CallResult(
        results={"error": "You may not use the tool 'vault.open'"},
        meta_data={
            "is_error": True,
            "reason": "Forbidden",
            "error_code": "E_FORBIDDEN",
            "details": {
                "tool": "vault.open",
                "suggestion": "Ask an administrator for access or use another tool",
            },
            "retryable": False,
        },
        is_error=True,
        error_code=ErrorCode.E_FORBIDDEN,
        duration_ms=0,
    )


def test_result_is_recorded_before_the_task_is_completed(world: World) -> None:
    call = world.call(world.turn(world.session()), "unknown.tool")
    stored: list[bool] = []
    world.callback.on_end = lambda: stored.append(world.reload(call).result is not None)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert stored == [True]


@pytest.mark.parametrize(
    ("tool", "nearest"),
    [
        ("reprot.summarise", ["report.summarise"]),
        ("report.sumarise", ["report.summarise"]),
        ("pages.fetch", ["web.pages.fetch"]),
        ("echo", ["report.echo"]),
        ("zzzzzz", []),
        ("", []),
        ("report.", ["report.echo"]),
    ],
)
def test_unknown_tool_error_suggests_similar_tools_best_first(world: World, tool: str, nearest: list[str]) -> None:
    code, details = rejection(world, tool)
    assert (code, details["tool"], details["nearest"][:1]) == ("E_UNKNOWN_TOOL", tool, nearest)


@pytest.mark.parametrize("name", ["reports.nonsense", "report.nonsense"])
def test_suggested_tools_exist(world: World, name: str) -> None:
    names = {tool.full_name for tool in (SUMMARISE, MERGE, ECHO)}
    assert set(rejection(world, name)[1]["nearest"]) <= names


def test_forbidden_tools_are_not_suggested(world: World) -> None:
    assert rejection(world, "vaults.open")[1]["nearest"] == []


def test_suggestions_respect_the_tools_of_the_turn(world: World) -> None:
    assert rejection(world, "reprot.echo", tools=["report.merge"])[1]["nearest"] == ["report.merge"]


def test_call_of_an_unknown_server_starts_no_server(world: World) -> None:
    rejection(world, "reprot.summarise")
    assert world.runners.listed_servers == []


@pytest.mark.clause("v4:registry:groups")
def test_tool_of_another_group_is_forbidden(world: World) -> None:
    assert rejection(world, "vault.open")[0] == "E_FORBIDDEN"


def test_unknown_tool_of_a_forbidden_server_is_forbidden_too(world: World) -> None:
    assert rejection(world, "vault.nothing")[0] == "E_FORBIDDEN"


def test_tool_of_the_users_groups_is_dispatched(world: World) -> None:
    world.use_cases.dispatch_tool(call_step(world.call(world.turn(world.session(BOB), who=BOB), "vault.open"), "task"))
    assert [server for server, _ in world.runners.orders] == ["vault"]


@pytest.mark.parametrize("limits", [["web.pages"], ["report.merge"], []])
def test_tool_outside_the_tools_of_the_turn_is_forbidden(world: World, limits: list[str]) -> None:
    code, details = rejection(world, "report.echo", tools=limits)
    assert (code, details["tool"]) == ("E_FORBIDDEN", "report.echo")


@pytest.mark.parametrize("limits", [["report"], ["report.echo"], ["web.pages", "report.echo"], None])
def test_tool_inside_the_tools_of_the_turn_is_dispatched(world: World, limits: list[str] | None) -> None:
    world.use_cases.dispatch_tool(
        call_step(world.call(world.turn(world.session(), tools=limits), "report.echo"), "task")
    )
    assert len(world.runners.orders) == 1


@pytest.mark.parametrize("arguments", ["{", "[]", '"text"', "summarise this"])
def test_arguments_that_are_not_an_object_are_invalid(world: World, arguments: str) -> None:
    code, details = rejection(world, "report.echo", arguments)
    assert code == "E_INVALID_ARGUMENTS"
    assert len(details["problems"]) == 1


def test_arguments_that_violate_the_schema_are_rejected_with_each_problem(world: World) -> None:
    code, details = rejection(world, "report.merge", '{"filenames": "a", "file_names": 5}')
    assert (code, details["problems"]) == ("E_INVALID_ARGUMENTS", ["filenames is no array", "file_names is no array"])


def test_missing_argument_is_rejected_but_a_missing_identity_is_not(world: World) -> None:
    code, details = rejection(world, "report.summarise", '{"username": 5}')
    assert (code, details["problems"]) == ("E_INVALID_ARGUMENTS", ["filename is missing"])


def test_server_that_does_not_start_fails_the_call_with_the_reason(world: World) -> None:
    world.tool_lists = type(world.tool_lists)()
    world.runners.tools.clear()
    result = reject(world, world.call(world.turn(world.session()), "report.echo"))
    assert (result.error_code, result.results) == (
        "E_TOOL_FAILED",
        {"error": "The server 'report' did not start: no such program"},
    )


def test_strict_server_rejects_an_unknown_file(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "exact.read", '{"filenames": ["sales.csv", "sale.csv", "other.png"]}')
    result = reject(world, call)
    assert (result.error_code, result.results) == (
        "E_FILE_NOT_FOUND",
        {"error": "No file named 'sale.csv' or 'other.png'"},
    )
    assert (result.meta_data or {})["details"]["nearest"] == ["sales.csv"]


def test_file_that_exceeds_the_input_limit_is_rejected(world: World) -> None:
    session = world.session()
    world.upload("big.csv", bytes(501), session)
    result = reject(world, world.call(world.turn(session), "report.summarise", '{"filename": "big.csv"}'))
    assert result.error_code == "E_FILE_TOO_LARGE"
    details = (result.meta_data or {})["details"]
    assert (details["file_size_bytes"], details["current_limit_bytes"]) == (501, 500)


@pytest.mark.parametrize(("arguments", "shown"), [("{broken", "{broken"), ("[1]", "[1]"), ('{"text": 5}', {"text": 5})])
def test_tool_start_of_a_rejected_call_contains_the_model_arguments(
    world: World, arguments: str, shown: object
) -> None:
    call = world.call(world.turn(world.session()), "report.echo", arguments)
    reject(world, call)
    payload = {"call_id": call.call_id, "tool": "report.echo", "server": "report", "arguments": shown, "app_uri": None}
    assert world.events.payloads(call.turn_id, "tool_start") == [("tool_start", payload)]


def test_rejected_call_is_not_stored_as_sent_to_a_server(world: World) -> None:
    call = world.call(world.turn(world.session()), "vault.open")
    reject(world, call)
    stored = world.reload(call)
    assert stored.model_copy(update={"result": None}) == call


def test_repeated_rejection_publishes_one_tool_start(world: World) -> None:
    call = world.call(world.turn(world.session()), "vault.open")
    for _ in range(2):
        world.use_cases.dispatch_tool(call_step(call, "task"))
    assert len(world.events.payloads(call.turn_id, "tool_start")) == 1


def test_step_of_a_missing_call_raises_lookup_error(world: World) -> None:
    call = world.call(world.turn(world.session()))
    other = call_step(call, "task").model_copy(update={"call_id": f"{call.turn_id}-99-00"})
    for step in (other, call_step(call), call_step(call, "task").model_copy(update={"session_id": "s" + "0" * 26})):
        with pytest.raises(LookupError, match=f"no such call to dispatch: {step.call_id}"):
            world.use_cases.dispatch_tool(step)
    assert world.callback.succeeded == []


def test_rejection_does_not_contain_the_user_name(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    result = reject(world, world.call(world.turn(session), "exact.read", '{"filenames": ["sale.csv"]}'))
    assert ALICE.name not in json.dumps(result.model_dump(mode="json"))


def test_tool_that_only_apps_may_call_is_not_offered_and_its_call_is_rejected(world: World) -> None:
    listing = ToolListing(tools=[ECHO.model_copy(update={"for_model": False}), SUMMARISE])
    config_hash = REGISTRY.servers["report"].config_hash()
    world.tool_lists.save("report", config_hash, fresh_tool_list(listing, world.clock.now()))
    assert "report.echo" not in {tool.full_name for tool in world.use_cases.list_tools.tools(ALICE.groups)}
    code, details = rejection(world, "report.echo")
    assert (code, details["tool"]) == ("E_FORBIDDEN", "report.echo")
