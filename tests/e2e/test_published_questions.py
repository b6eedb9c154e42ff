"""Published servers that ask the user while they run, unchanged in the whole system (docs/servers.md)."""

import json
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.conftest import MCP_CONFIG
from tests.e2e.published_servers.installed import NODE
from tests.e2e.system_process import ROOT, SystemProcess, running_system
from tests.e2e.user_client import Json, UserClient, run_user, wait_for_tools

ATLAS = ROOT / ".venv/published-atlas"
EVERYTHING = NODE / ".bin/mcp-server-everything"
PAGE = "https://login.example/in"

# CI always has Node, so CI must not skip these tests silently.
pytestmark = pytest.mark.skipif(
    "CI" not in os.environ and (shutil.which("node") is None or not NODE.exists() or not ATLAS.exists()),
    reason="no Node, or the servers are not installed (make test does that)",
)

TASK = {"title": "Ship", "description": "All of it", "priority": "high", "due_date": "2026-12-24"}
DEMONSTRATED: dict[str, tuple[list[Json], str]] = {
    "get_user_name": ([{"value": "Ada"}], "Hello, Ada! Nice to meet you."),
    "pick_a_number": ([{"value": 21}], "Doubled, that's 42."),
    "confirm_action": ([{"value": True}], "Action confirmed! Proceeding..."),
    "set_priority": ([{"value": "high"}], "Priority set to: high"),
    "choose_option": ([{"value": "blue"}], "You chose: blue"),
    "create_task": ([TASK], "Title: Ship\nDescription: All of it\nPriority: high\nDue Date: 2026-12-24"),
    "multi_turn_survey": (
        [{"value": "Ada"}, {"value": 36}, {"value": "tacos"}, {"value": 9}],
        "Name: Ada\nAge: 36\nFavorite Food: tacos\nSatisfaction Rating: 9/10",
    ),
    "approve_deletion": ([{}], "Item deleted successfully."),
}
"""The tools of atlas's demonstration, with the answers to their questions and what they then return."""


def atlas_entry() -> Json:
    """Return the entry that the package has for its demonstration, with this machine's program and folder."""
    (package,) = ATLAS.glob("lib/python*/site-packages/atlas")
    entries = json.loads((package / "config/mcp-example-configs/mcp-elicitation_demo.json").read_text("utf-8"))
    entry: Json = entries["elicitation_demo"]
    assert (entry["command"][0], entry["cwd"]) == ("python", package.name)
    return entry | {"command": [str(ATLAS / "bin/python"), *entry["command"][1:]], "cwd": str(package)}


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    """A system with the servers, after they have listed their tools."""
    config = tmp_path_factory.mktemp("published") / "mcp.json"
    servers = {"elicitation_demo": atlas_entry(), "everything": {"command": str(EVERYTHING), "args": []}}
    servers["fastmcp"] = {"command": "python", "args": [str(MCP_CONFIG.parent / "asking_older/main.py")]}
    config.write_text(json.dumps({"mcpServers": servers}))
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as running:
        wait_for_tools(running.url)
        yield running


@pytest.fixture
def user(system: SystemProcess) -> UserClient:
    return UserClient(system.url, run_user("answers"))


def answer(user: UserClient, call: str, *answers: Json, action: str = "accept") -> tuple[list[Json], Json]:
    """Send a message that calls a tool, and answer its questions. Return the questions and the finished call."""
    session, given = user.create_session(), iter(answers)
    turn = f"/api/sessions/{session}/turns/{user.start_turn(session, call)['turn_id']}"
    questions: list[Json] = []
    after, is_done = 0, False
    while not is_done:
        page = user.request("GET", f"{turn}/events", params={"after": after, "wait": 20}).json()
        for event in page["events"]:
            if event["type"] == "input_requested":
                questions.append(event)
                body = {"input_id": event["input_id"], "action": action, "content": next(given)}
                response = user.request("POST", f"{turn}/calls/{event['call_id']}/input", json=body)
                assert response.is_success, response.text
        after, is_done = page["next"], page["done"]
    assert list(given) == []
    (finished,) = user.request("GET", turn).json()["tool_calls"]
    return questions, finished


def text_of(call: Json) -> str:
    """Return the text of a result."""
    assert call["is_error"] is False, call
    results: Any = call["results"]
    return results if isinstance(results, str) else json.dumps(results, ensure_ascii=False).replace("\\n", "\n")


def test_all_tools_of_atlas_are_demonstrated(user: UserClient) -> None:
    servers = {server["name"]: server for server in user.request("GET", "/api/tools").json()["servers"]}

    assert {tool["name"].rpartition(".")[2] for tool in servers["elicitation_demo"]["tools"]} == DEMONSTRATED.keys()


@pytest.mark.parametrize("tool", DEMONSTRATED)
def test_tool_of_atlas_gets_the_accepted_answers(user: UserClient, tool: str) -> None:
    answers, text = DEMONSTRATED[tool]
    questions, call = answer(user, f"/elicitation_demo.{tool} {{}}", *answers)

    assert [question["mode"] for question in questions] == ["form"] * len(answers)
    assert text in text_of(call)


@pytest.mark.parametrize(
    ("action", "text"), [("decline", "No name provided. That's okay!"), ("cancel", "Operation cancelled.")]
)
def test_tool_of_atlas_learns_that_the_user_gave_no_answer(user: UserClient, action: str, text: str) -> None:
    _, call = answer(user, "/elicitation_demo.get_user_name {}", {}, action=action)

    assert text in text_of(call)


def test_form_of_everything_with_all_types_of_fields_is_answered(user: UserClient) -> None:
    filled: Json = {"name": "Ada", "check": True, "integer": 7, "number": 0.5, "birthdate": "1815-12-10"}
    filled |= {"email": "ada@example.com", "untitledMultipleSelectEnum": ["Piano"], "titledSingleSelectEnum": "hero-2"}
    (question,), call = answer(user, "/everything.trigger-elicitation-request {}", filled)

    assert {field["type"] for field in question["schema"]["properties"].values()} == {
        "string", "boolean", "integer", "number", "array",
    }  # fmt: skip
    for text in ("Name: Ada", "ada@example.com", "1815-12-10", "hero-2", "Piano"):
        assert text in text_of(call)


@pytest.mark.parametrize(
    ("arguments", "links"),
    [({}, [PAGE]), ({"errorPath": True}, ["https://modelcontextprotocol.io", PAGE])],
    ids=["asked", "required first"],
)
def test_link_of_everything_is_visited(user: UserClient, arguments: Json, links: list[str]) -> None:
    message = f"/everything.trigger-url-elicitation {json.dumps({'url': PAGE, **arguments})}"
    questions, call = answer(user, message, *[{}] * len(links))

    assert [(question["mode"], question["url"]) for question in questions] == [("url", link) for link in links]
    assert f"URL: {PAGE}" in text_of(call)


def test_tool_of_fastmcp_4_asks_after_the_user_has_started_it_again_once(user: UserClient) -> None:
    call = '/fastmcp.ask {"kinds": ["text", "number"]}'
    (restart, text, _), first = answer(user, call, {}, {"value": "Ada"}, {"value": 42})
    (asked_first, _), second = answer(user, call, {"value": "Bob"}, {"value": 7})

    assert "start it again" in restart["message"]
    assert (restart["bound_seconds"], text["bound_seconds"]) == (None, 300)  # only the second holds a process
    assert [text["message"], asked_first["message"]] == ["Which text?"] * 2
    assert "Ada" in text_of(first)
    assert "Bob" in text_of(second)


def test_read_only_tool_of_fastmcp_4_starts_again_without_a_question(user: UserClient) -> None:
    (question,), call = answer(user, "/fastmcp.look {}", {"value": "the moon"})

    assert question["message"] == "At what?"
    assert "the moon" in text_of(call)
