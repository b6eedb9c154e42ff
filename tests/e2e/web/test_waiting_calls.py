"""Calls that wait because all runners of the machine are busy."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import MCP_CONFIG
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import UserClient, run_user, wait_for_tools
from tests.e2e.web.chat_page import MAX_TURN_MS, UNENDING_CALL, ChatPage


@pytest.fixture(scope="module")
def system() -> Iterator[SystemProcess]:
    """A machine that runs one call at a time."""
    settings = {"SATCHEL_MCP_CONFIG": str(MCP_CONFIG.with_name("trial.json")), "SATCHEL_MAX_ENVIRONMENTS": "1"}
    with running_system(settings=settings) as system:
        wait_for_tools(system.url)
        yield system


def test_call_shows_that_it_waits_for_a_runner_and_runs_when_one_is_free(chat: ChatPage, system: SystemProcess) -> None:
    other = UserClient(system.url, run_user("busy"))
    session_id = other.create_session()
    running = other.start_turn(session_id, UNENDING_CALL)["turn_id"]
    other.wait_for_event(session_id, running, "tool_log")

    turn = chat.send('/trial.wait {"seconds": 0}')
    expect(turn.locator(".call.running")).to_contain_text("Waiting for a free runner")
    chat.screenshot("waiting-call")
    assert other.request("DELETE", f"/api/sessions/{session_id}/turns/{running}").is_success
    expect(turn).to_have_attribute("aria-busy", "false", timeout=MAX_TURN_MS)
    expect(turn.locator(".call.done")).to_have_count(1)
