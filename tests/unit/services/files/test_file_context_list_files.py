"""The tool that Satchel answers itself: which files there are."""

import json
from typing import Any

import pytest

from satchel.domain.calls import Call, RunnerReport
from satchel.domain.object_keys import outcome_key
from satchel.services.calls.runner_report import read_report
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World, call_step


def dispatched(world: World, call: Call) -> RunnerReport:
    """Dispatch a call that no runner is to see, and return what it came to."""
    world.use_cases.dispatch_tool(call_step(call, "token"))
    assert (world.runners.orders, world.callback.succeeded) == ([], ["token"])
    outcome = read_report(world.store, outcome_key(call.user, call.turn_id, call.call_id))
    assert outcome is not None
    return outcome


def asked(world: World, call: Call | None = None, **arguments: object) -> RunnerReport:
    """Let the model ask."""
    call = call or world.call(world.turn(world.session()), "satchel.list_files", json.dumps(arguments))
    return dispatched(world, call)


def names(outcome: RunnerReport) -> list[str]:
    return [file["name"] for file in outcome.results["files"]]


def test_it_lists_the_persons_own_files_newest_first_without_keys_and_links(world: World) -> None:
    world.upload("old.csv")
    world.upload("new.txt", b"one\ntwo\n")
    world.upload("secret.csv", who=BOB)
    outcome = asked(world)
    assert outcome.results == {
        "files": [
            {
                "name": "new.txt",
                "source": "uploaded",
                "created": "2024-08-27",
                "size": "8B",
                "mime": "text/plain",
                "info": {"lines": 2},
            },
            {
                "name": "old.csv",
                "source": "uploaded",
                "created": "2024-08-27",
                "size": "8B",
                "mime": "text/csv",
                "info": {"rows": 1, "columns": 2},
            },
        ]
    }


@pytest.mark.clause("v2.1:deferred:fields")
def test_of_a_file_that_waits_it_says_what_to_do_next(world: World) -> None:
    turn = world.turn(world.session())
    maker = world.call(turn)
    said: dict[str, Any] = {"reason": "awaiting_approval", "next_actions": ["Ask Eve"], "category": "draft"}
    world.finish_call(
        maker, RunnerReport(files=[world.stored_file(maker, "plan.docx", deferred=True, expires_hours=5, **said)])
    )
    (file,) = asked(world, world.call(turn, "satchel.list_files", index=1)).results["files"]
    assert (file["source"], file["status"], file["next_actions"], file["category"]) == (
        "deferred",
        "awaiting approval",
        ["Ask Eve"],
        "draft",
    )
    assert file["expires_at"] == int(world.clock.now().timestamp()) + 5 * 3600


def test_many_files_come_page_by_page(world: World) -> None:
    for number in range(60):
        world.upload(f"{number}.csv")
    first = asked(world)
    assert len(first.results["files"]) == 50
    world.callback.succeeded.clear()
    rest = asked(world, cursor=first.results["cursor"])
    assert names(rest) == [f"{number}.csv" for number in range(9, -1, -1)]
    assert "cursor" not in rest.results


def test_it_lists_those_of_the_session_of_a_source_or_of_a_beginning(world: World) -> None:
    session = world.session()
    world.upload("elsewhere.csv")
    world.upload("here.csv", session=session)
    world.upload("hers.csv")
    call = world.call(world.turn(session), "satchel.list_files", '{"this_session": true}')
    assert names(asked(world, call)) == ["here.csv"]
    world.callback.succeeded.clear()
    assert names(asked(world, name_prefix="he")) == ["here.csv", "hers.csv"]
    world.callback.succeeded.clear()
    assert names(asked(world, source="deferred")) == []


def test_what_has_expired_is_not_listed(world: World) -> None:
    world.expire_after(world.upload("a.csv"))
    world.clock.travel(3600)
    assert names(asked(world)) == []


def test_a_cursor_of_no_list_is_the_models_mistake(world: World) -> None:
    assert asked(world, cursor="nonsense").error_code == "E_INVALID_ARGUMENTS"


def test_a_turn_that_is_limited_to_other_tools_may_not_use_it(world: World) -> None:
    turn = world.turn(world.session(), tools=["report"])
    assert asked(world, world.call(turn, "satchel.list_files")).error_code == "E_FORBIDDEN"


def test_it_is_told_noted_and_settled_like_any_other_call(world: World) -> None:
    turn = world.turn(world.session())
    call = world.call(turn, "satchel.list_files", '{"source": "uploaded"}')
    asked(world, call)
    result = world.finish_call(call)
    assert (result.is_error, result.results) == (False, {"files": []})
    assert world.reload(call).injected == {"source": "uploaded"}
    assert [kind for kind, _ in world.events.payloads(turn.turn_id)] == ["turn_started", "tool_start", "tool_complete"]
    assert world.events.payloads(turn.turn_id, "tool_start")[0][1]["server"] == "satchel"


def test_everybody_may_use_it_and_another_of_that_server_is_unknown(world: World) -> None:
    assert "satchel.list_files" in world.use_cases.list_tools.names(ALICE.groups)
    call = world.call(world.turn(world.session()), "satchel.list_everything")
    outcome = asked(world, call)
    assert outcome.error_code == "E_UNKNOWN_TOOL"
    assert "satchel.list_files" in json.dumps(outcome.meta_data)
