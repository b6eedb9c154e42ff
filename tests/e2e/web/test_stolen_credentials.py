"""A thief with the credentials of one call: people see and approve true arguments, and other calls run."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.e2e.hostile_runner import FORCED
from tests.e2e.system_process import ROOT, SystemProcess, free_port, running_system
from tests.e2e.test_approval import WaitingTurn
from tests.e2e.user_client import Json, UserClient, wait_for_tools
from tests.e2e.web.chat_page import ChatPage

TRANSFER = "TRANSFER 1,000,000 to mallory"
WRITE = f'/approval.write {{"name": "note.txt", "text": "{TRANSFER}"}}'
SERVERS = {"calculator": "functions/servers/calculator/main.py", "approval": "tests/mcp_servers/trial.py"}


@pytest.fixture(scope="module")
def attempts_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attempts")


@pytest.fixture(scope="module")
def system(attempts_folder: Path) -> Iterator[SystemProcess]:
    """A system of its own, in which the credentials of each call of the calculator are stolen."""
    entries: Json = {
        name: {"command": ["python", Path(path).name], "cwd": str((ROOT / path).parent)}
        for name, path in SERVERS.items()
    }
    entries["approval"]["require_approval"] = ["write"]
    config = attempts_folder / "mcp.json"
    config.write_text(json.dumps(entries), encoding="utf-8")
    command = [sys.executable, "-m", "tests.e2e.hostile_runner", "serve", "--port", str(free_port())]
    settings = {"SATCHEL_MCP_CONFIG": str(config), "HOSTILE_RUNNER": str(attempts_folder)}
    with running_system(command, settings=settings) as running:
        wait_for_tools(running.url)
        yield running


def attempts_of(turn: str, folder: Path, user: UserClient, path: str) -> dict[str, bool]:
    """Wait until the calculator has answered, so that the thief is done. Return the attempts."""
    after, done = 0, False
    while not done:
        page = user.request("GET", f"{path}/events", params={"after": after, "wait": 20}).json()
        after = page["next"]
        done = any(each["type"] == "tool_complete" for each in page["events"])
        assert not page["done"], "the turn ended without waiting for approval"
    attempts: dict[str, bool] = json.loads((folder / f"{turn}.json").read_text(encoding="utf-8"))
    return attempts


def test_thief_cannot_change_what_is_approved_or_stop_other_calls(system: SystemProcess, attempts_folder: Path) -> None:
    user = UserClient(system.url, f"u{uuid4().hex[:12]}@example.com")
    turn = WaitingTurn(user, f'{WRITE}\n/calculator.evaluate {{"expression": "1+1"}}')

    attempts = attempts_of(turn.turn_id, attempts_folder, user, turn.path)

    assert {name for name, is_allowed in attempts.items() if is_allowed} == {
        name for name in attempts if name.startswith("own: ")
    }
    assert sum(attempts.values()) == len(attempts) // 2 == 7
    assert turn.shown["arguments"] == {"name": "note.txt", "text": TRANSFER}
    assert user.request("GET", turn.approval_path).json() == turn.shown
    assert turn.decide(approved=True) == 200
    response = turn.response()
    assert [call["is_error"] for call in response["tool_calls"]] == [False, False]
    assert user.request("GET", response["artifacts"][0]["download_url"]).text == TRANSFER
    events = user.events(turn.session_id, turn.turn_id)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    requests = [event for event in events if event["type"] == "tool_approval_request"]
    assert [request["tool"] for request in requests] == ["approval.write"]
    logs = [(event["call_id"], event["message"]) for event in events if event["type"] == "tool_log"]
    assert logs == [(f"{turn.turn_id}-00-01", "from the thief")]  # progress of the thief's own call, and of no other
    assert events[-1]["type"] == "response_complete"


def test_page_shows_true_arguments_even_if_the_event_was_falsified(chat: ChatPage, attempts_folder: Path) -> None:
    """The thief changes the event, which the session policy forbids: the page does not take the arguments from it."""
    chat.send(f'{WRITE}\n/calculator.evaluate {{"expression": "{FORCED}"}}')
    form = chat.page.get_by_role("form", name="Approval for approval.write")
    form.get_by_role("button", name="Allow").wait_for()
    turn_id = chat.user.request("GET", f"/api/sessions/{chat.session_id}").json()["running_turn"]
    path = f"/api/sessions/{chat.session_id}/turns/{turn_id}"
    attempts_of(turn_id, attempts_folder, chat.user, path)
    events = chat.user.request("GET", f"{path}/events").json()["events"]
    falsified = next(event for event in events if event["type"] == "tool_approval_request")
    assert (falsified["tool"], falsified["arguments"]["text"]) == ("calculator.evaluate", "hello")

    chat.page.reload()

    form.get_by_role("button", name="Allow").wait_for()
    expect(form.get_by_label("text")).to_have_value(TRANSFER)
    expect(chat.page.get_by_text("hello")).to_have_count(0)
    chat.screenshot("falsified-event")
    form.get_by_role("button", name="Deny").click()
    expect(chat.turns.first).to_have_attribute("aria-busy", "false")
