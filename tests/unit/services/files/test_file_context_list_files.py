"""The built-in tool ``satchel.list_files``."""

import json
from datetime import timedelta
from typing import Any

import pytest

from satchel.domain.calls import Call, CallResult, RunnerReport
from satchel.domain.timestamps import format_time
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World, call_step


def dispatch(world: World, call: Call) -> CallResult:
    """Dispatch a call that reaches no runner, and return its result."""
    world.use_cases.dispatch_tool(call_step(call, "token"))
    assert (world.runners.orders, world.callback.succeeded) == ([], ["token"])
    result = world.reload(call).result
    assert result is not None
    return result


def list_files(world: World, call: Call | None = None, **arguments: object) -> CallResult:
    """Let the model call the tool."""
    call = call or world.call(world.turn(world.session()), "satchel.list_files", json.dumps(arguments))
    return dispatch(world, call)


def names(result: CallResult) -> list[str]:
    return [file["name"] for file in result.results["files"]]


def test_users_own_files_are_listed_newest_first_with_keys_but_without_links(world: World) -> None:
    old = world.upload("old.csv")
    new = world.upload("new.txt", b"one\ntwo\n")
    world.upload("secret.csv", who=BOB)
    result = list_files(world)
    assert result.results == {
        "files": [
            {
                "name": "new.txt",
                "key": new.file_key,
                "source": "uploaded",
                "created": "2024-08-27",
                "size": "8B",
                "mime": "text/plain",
                "info": {"lines": 2},
            },
            {
                "name": "old.csv",
                "key": old.file_key,
                "source": "uploaded",
                "created": "2024-08-27",
                "size": "8B",
                "mime": "text/csv",
                "info": {"rows": 1, "columns": 2},
            },
        ]
    }


@pytest.mark.clause("v2.1:deferred:fields")
def test_deferred_file_is_listed_with_status_and_next_actions(world: World) -> None:
    turn = world.turn(world.session())
    earlier = world.call(turn)
    fields: dict[str, Any] = {"reason": "awaiting_approval", "next_actions": ["Ask Eve"], "category": "draft"}
    world.finish_call(
        earlier, RunnerReport(files=[world.stored_file(earlier, "plan.docx", deferred=True, expires_hours=5, **fields)])
    )
    (file,) = list_files(world, world.call(turn, "satchel.list_files", index=1)).results["files"]
    assert (file["source"], file["status"], file["next_actions"], file["category"]) == (
        "deferred",
        "awaiting approval",
        ["Ask Eve"],
        "draft",
    )
    assert file["expires_at"] == format_time(world.clock.now() + timedelta(hours=5))


def test_files_are_listed_in_pages(world: World) -> None:
    for number in range(60):
        world.upload(f"{number}.csv")
    first = list_files(world)
    assert len(first.results["files"]) == 50
    world.callback.succeeded.clear()
    rest = list_files(world, cursor=first.results["cursor"])
    assert names(rest) == [f"{number}.csv" for number in range(9, -1, -1)]
    assert "cursor" not in rest.results


def test_list_can_be_filtered_by_session_source_and_prefix(world: World) -> None:
    session = world.session()
    world.upload("elsewhere.csv")
    world.upload("here.csv", session=session)
    world.upload("hers.csv")
    call = world.call(world.turn(session), "satchel.list_files", '{"this_session": true}')
    assert names(list_files(world, call)) == ["here.csv"]
    world.callback.succeeded.clear()
    assert names(list_files(world, name_prefix="he")) == ["here.csv", "hers.csv"]
    world.callback.succeeded.clear()
    assert names(list_files(world, source="deferred")) == []


def test_expired_files_are_not_listed(world: World) -> None:
    world.expire_after(world.upload("a.csv"))
    world.clock.advance(3600)
    assert names(list_files(world)) == []


def test_invalid_cursor_is_an_invalid_argument(world: World) -> None:
    assert list_files(world, cursor="nonsense").error_code == "E_INVALID_ARGUMENTS"


def test_tool_is_forbidden_if_the_turn_is_limited_to_others(world: World) -> None:
    turn = world.turn(world.session(), tools=["report"])
    assert list_files(world, world.call(turn, "satchel.list_files")).error_code == "E_FORBIDDEN"


def test_call_is_stored_published_and_recorded_like_any_other(world: World) -> None:
    turn = world.turn(world.session())
    call = world.call(turn, "satchel.list_files", '{"source": "uploaded"}')
    list_files(world, call)
    result = world.finish_call(call)
    assert (result.is_error, result.results) == (False, {"files": []})
    assert world.reload(call).injected == {"source": "uploaded"}
    assert [kind for kind, _ in world.events.payloads(turn.turn_id)] == ["turn_started", "tool_start", "tool_complete"]
    assert world.events.payloads(turn.turn_id, "tool_start")[0][1]["server"] == "satchel"


def test_all_users_may_call_it_and_other_names_are_unknown_tools(world: World) -> None:
    assert "satchel.list_files" in world.use_cases.list_tools.names(ALICE.groups)
    call = world.call(world.turn(world.session()), "satchel.list_everything")
    result = list_files(world, call)
    assert result.error_code == "E_UNKNOWN_TOOL"
    assert "satchel.list_files" in json.dumps(result.meta_data)
