"""Erasure of all data of a user, in the background."""

import sys
import time
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import MCP_CONFIG, NO_CART, UNAVAILABLE, NewUser
from tests.e2e.system_process import SystemProcess, free_port, running_system
from tests.e2e.user_client import Json, UserClient, run_user, wait_for_tools

TIMEOUT_SECONDS = 120


def erase(user: UserClient) -> dict[str, int]:
    """Request and confirm the erasure, wait for its end, and return the number of deleted items of each type."""
    confirm_erasure(user)
    counts: dict[str, int] = wait_for_erasure(user, "finished_at")["erased"]
    return counts


def confirm_erasure(user: UserClient) -> None:
    confirmation = user.request("DELETE", "/api/me").json()
    response = user.request("DELETE", "/api/me", headers={"X-Satchel-Confirm": confirmation["confirm_token"]})
    assert response.status_code == 202, response.text


def wait_for_erasure(user: UserClient, field: str) -> Json:
    """Wait until the erasure has this time, and return the erasure."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        erasure: Json = user.request("GET", "/api/me").json()["erasure"]
        if erasure[field]:
            return erasure
        time.sleep(0.1)
    raise AssertionError(f"not finished: {erasure}")


def test_erasure_deletes_all_data_and_links_of_the_user_and_of_no_other(
    system: SystemProcess, new_user: NewUser
) -> None:
    user, other = new_user(), new_user()
    other_file = other.upload(None, "theirs.csv", b"a\n1\n")
    session_id = user.create_session()
    file = user.upload(session_id, "mine.csv", b"a\n1\n")
    link = user.request("POST", f"/api/files/{file['file_key']}/link").json()
    assert user.request("GET", link["url"]).content == b"a\n1\n"
    turn = user.ask(session_id, '/calculator.evaluate {"expression": "1+1"}')
    events = len(user.events(session_id, turn["turn_id"])[1:])  # the first event is not stored

    counts = erase(user)

    assert counts == {"files": 1, "versions": 1, "sessions": 1, "turns": 1, "events": events, "links": 1}
    assert user.request("GET", "/api/sessions").json()["sessions"] == []
    assert user.request("GET", "/api/files").json()["files"] == []
    assert user.request("GET", link["url"]).status_code == 404
    assert other.request("GET", other_file["download_url"]).content == b"a\n1\n"
    # Downloads write audit lines as in a deployment; the check for tokens at the end of the system covers them.
    assert '"message":"audit"' in system.output()


@pytest.fixture(scope="module")
def system_with_short_grace() -> Iterator[SystemProcess]:
    """A system whose erasures run their second pass, which deletes late writes, after seconds."""
    command = [sys.executable, "-m", "tests.e2e.short_grace", "serve", "--port", str(free_port())]
    with running_system(command, settings={"SATCHEL_MCP_CONFIG": str(MCP_CONFIG), **NO_CART}) as system:
        wait_for_tools(system.url, "cart", *UNAVAILABLE)
        yield system


@pytest.mark.parametrize("cancelled", [False, True], ids=["running", "cancelled"])
def test_erasure_during_a_turn_logs_no_error_and_keeps_what_is_stored_afterwards(
    system_with_short_grace: SystemProcess, *, cancelled: bool
) -> None:
    user = UserClient(system_with_short_grace.url, run_user(f"erased-{cancelled}".lower()))
    session_id = user.create_session()
    arguments = '{"steps": 1, "interval": 0.1, "silence": 60}'
    turn_id = user.start_turn(session_id, f"/trial.report_steps {arguments}")["turn_id"]
    assert user.read_note("call.json")  # the tool runs
    if cancelled:
        assert user.request("DELETE", f"/api/sessions/{session_id}/turns/{turn_id}").is_success

    confirm_erasure(user)
    wait_for_erasure(user, "cleared_at")
    new_session = user.create_session()
    file = user.upload(new_session, "new.csv", b"a\n1\n")
    turn = user.ask(new_session, '/calculator.evaluate {"expression": "1+1"}')
    wait_for_erasure(user, "finished_at")

    assert [item["session_id"] for item in user.request("GET", "/api/sessions").json()["sessions"]] == [new_session]
    assert user.request("GET", file["download_url"]).content == b"a\n1\n"
    assert user.wait_for_turn(new_session, turn["turn_id"])["status"] == "complete"
    output = system_with_short_grace.output()
    assert "no such turn" not in output
    assert "EventsLost" not in output
    assert [line for line in output.splitlines() if '"level":"ERROR"' in line] == []
