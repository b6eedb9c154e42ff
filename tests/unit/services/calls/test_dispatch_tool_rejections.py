"""Calls that may not run: each refusal is the call's outcome, and the waiting task hears of it."""

import json
from typing import Any

import pytest

from satchel.contract import ErrorCode
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.object_keys import outcome_key
from satchel.services.calls.runner_report import read_report
from tests.unit.services.samples import ALICE, BOB, ECHO, MERGE, SUMMARISE
from tests.unit.services.world import World, call_step


def refused(world: World, call: Call) -> RunnerReport:
    """Dispatch a call that must not reach a runner; return its outcome."""
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert world.runners.orders == []
    assert world.callback.ended == ["task"]
    outcome = read_report(world.store, outcome_key(call.user, call.turn_id, call.call_id))
    assert outcome is not None
    return outcome


def refusal(
    world: World, tool: str, arguments: str = "{}", tools: list[str] | None = None
) -> tuple[str, dict[str, Any]]:
    """Return code and details of the refusal of Alice's call."""
    outcome = refused(world, world.call(world.turn(world.session(), tools=tools), tool, arguments))
    assert outcome.is_error
    assert outcome.error_code is not None
    return outcome.error_code, (outcome.meta_data or {})["details"]


def test_a_refusal_is_stored_as_the_specification_shapes_errors(world: World) -> None:
    call = world.call(world.turn(world.session()), "vault.open")
    assert refused(world, call) == RunnerReport(
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
    )


def test_the_outcome_is_stored_before_the_task_is_answered(world: World) -> None:
    call = world.call(world.turn(world.session()), "nobody.knows")
    stored: list[bool] = []
    key = outcome_key(call.user, call.turn_id, call.call_id)
    world.callback.on_done = lambda: stored.append(key in world.store.objects)
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
def test_an_unknown_tool_is_answered_with_the_nearest_first(world: World, tool: str, nearest: list[str]) -> None:
    code, details = refusal(world, tool)
    assert (code, details["tool"], details["nearest"][:1]) == ("E_UNKNOWN_TOOL", tool, nearest)


@pytest.mark.parametrize("wanted", ["reports.nonsense", "report.nonsense"])
def test_no_tool_is_suggested_that_there_is_not(world: World, wanted: str) -> None:
    names = {tool.full_name for tool in (SUMMARISE, MERGE, ECHO)}
    assert set(refusal(world, wanted)[1]["nearest"]) <= names


def test_no_tool_is_suggested_that_the_person_or_the_turn_may_not_use(world: World) -> None:
    assert refusal(world, "vaults.open")[1]["nearest"] == []


def test_suggestions_keep_to_what_the_turn_is_limited_to(world: World) -> None:
    assert refusal(world, "reprot.echo", tools=["report.merge"])[1]["nearest"] == ["report.merge"]


def test_an_unknown_server_wakes_no_server(world: World) -> None:
    refusal(world, "reprot.summarise")
    assert world.runners.asked == []


@pytest.mark.clause("v4:registry:groups")
def test_a_tool_for_other_groups_is_forbidden_whether_there_is_such_a_tool_or_not(world: World) -> None:
    assert refusal(world, "vault.open")[0] == "E_FORBIDDEN"


def test_a_forbidden_servers_tools_are_not_told_apart(world: World) -> None:
    assert refusal(world, "vault.nothing")[0] == "E_FORBIDDEN"


def test_a_tool_for_the_persons_groups_is_not_refused(world: World) -> None:
    world.use_cases.dispatch_tool(call_step(world.call(world.turn(world.session(BOB), who=BOB), "vault.open"), "task"))
    assert [server for server, _ in world.runners.orders] == ["vault"]


@pytest.mark.parametrize("limits", [["web.pages"], ["report.merge"], []])
def test_a_tool_outside_what_the_turn_is_limited_to_is_forbidden(world: World, limits: list[str]) -> None:
    assert refusal(world, "report.echo", tools=limits)[0] == "E_FORBIDDEN"


@pytest.mark.parametrize("limits", [["report"], ["report.echo"], ["web.pages", "report.echo"], None])
def test_a_tool_inside_what_the_turn_is_limited_to_runs(world: World, limits: list[str] | None) -> None:
    world.use_cases.dispatch_tool(
        call_step(world.call(world.turn(world.session(), tools=limits), "report.echo"), "task")
    )
    assert len(world.runners.orders) == 1


@pytest.mark.parametrize("arguments", ["{", "[]", '"text"', "summarise this"])
def test_arguments_that_are_no_object_are_refused(world: World, arguments: str) -> None:
    code, details = refusal(world, "report.echo", arguments)
    assert code == "E_INVALID_ARGUMENTS"
    assert len(details["problems"]) == 1


def test_arguments_that_do_not_fit_the_schema_are_refused_with_each_problem(world: World) -> None:
    code, details = refusal(world, "report.merge", '{"filenames": "a", "file_names": 5}')
    assert (code, details["problems"]) == ("E_INVALID_ARGUMENTS", ["filenames is no array", "file_names is no array"])


def test_a_missing_argument_is_refused_but_not_the_identity_that_we_add(world: World) -> None:
    code, details = refusal(world, "report.summarise", '{"username": 5}')
    assert (code, details["problems"]) == ("E_INVALID_ARGUMENTS", ["filename is missing"])


def test_a_server_that_does_not_start_has_failed_and_says_why(world: World) -> None:
    world.tool_lists = type(world.tool_lists)()
    world.runners.tools.clear()
    outcome = refused(world, world.call(world.turn(world.session()), "report.echo"))
    assert (outcome.error_code, outcome.results) == (
        "E_TOOL_FAILED",
        {"error": "The server 'report' did not start: no such program"},
    )


def test_a_file_that_there_is_not_is_refused_by_a_strict_server(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "exact.read", '{"filenames": ["sales.csv", "sale.csv", "other.png"]}')
    outcome = refused(world, call)
    assert (outcome.error_code, outcome.results) == (
        "E_FILE_NOT_FOUND",
        {"error": "No file named 'sale.csv' or 'other.png'"},
    )
    assert (outcome.meta_data or {})["details"]["nearest"] == ["sales.csv"]


def test_a_file_that_does_not_fit_the_runners_disk_is_refused(world: World) -> None:
    session = world.session()
    world.upload("big.csv", bytes(501), session)
    outcome = refused(world, world.call(world.turn(session), "report.summarise", '{"filename": "big.csv"}'))
    assert outcome.error_code == "E_FILE_TOO_LARGE"
    details = (outcome.meta_data or {})["details"]
    assert (details["file_size_bytes"], details["current_limit_bytes"]) == (501, 500)


@pytest.mark.parametrize(("arguments", "shown"), [("{broken", "{broken"), ("[1]", "[1]"), ('{"text": 5}', {"text": 5})])
def test_a_refused_call_is_announced_with_what_the_model_sent(world: World, arguments: str, shown: object) -> None:
    call = world.call(world.turn(world.session()), "report.echo", arguments)
    refused(world, call)
    told = {"call_id": call.call_id, "tool": "report.echo", "server": "report", "arguments": shown}
    assert world.events.told(call.turn_id, "tool_start") == [("tool_start", told)]


def test_a_refused_call_was_never_sent_on_its_way(world: World) -> None:
    call = world.call(world.turn(world.session()), "vault.open")
    refused(world, call)
    assert world.reload(call) == call


def test_refusing_twice_announces_once(world: World) -> None:
    call = world.call(world.turn(world.session()), "vault.open")
    for _ in range(2):
        world.use_cases.dispatch_tool(call_step(call, "task"))
    assert len(world.events.told(call.turn_id, "tool_start")) == 1


def test_a_step_for_a_call_that_there_is_not_is_our_own_mistake(world: World) -> None:
    call = world.call(world.turn(world.session()))
    other = call_step(call, "task").model_copy(update={"call_id": f"{call.turn_id}-99-00"})
    for step in (other, call_step(call), call_step(call, "task").model_copy(update={"session_id": "s" + "0" * 26})):
        with pytest.raises(LookupError):
            world.use_cases.dispatch_tool(step)
    assert world.callback.ended == []


def test_no_secret_of_the_person_is_in_a_refusal(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    outcome = refused(world, world.call(world.turn(session), "exact.read", '{"filenames": ["sale.csv"]}'))
    assert ALICE.name not in json.dumps(outcome.model_dump(mode="json"))
