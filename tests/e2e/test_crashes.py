"""Killed servers and cancelled turns: the call fails and the next one works (killed runners: ``test_timeouts``)."""

import signal
import time

import psutil

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import UserClient
from tests.priority import prioritized
from tests.processes import find_runner, is_alive

CANCEL_SECONDS = 2.0


def _start_silent_call(user: UserClient) -> tuple[str, str, psutil.Process, psutil.Process]:
    """Start a silent call; return its session id, its turn id, its server process and the runner of the server."""
    session_id = user.create_session()
    turn = user.start_turn(session_id, '/trial.report_steps {"steps": 1, "interval": 0, "silence": 60}')
    server = psutil.Process(user.read_note("call.json")["pid"])
    return session_id, turn["turn_id"], server, find_runner(server, "trial")


def test_killed_server_fails_the_call_and_the_next_call_works(new_user: NewUser) -> None:
    user = new_user()
    session_id, turn_id, server, runner = _start_silent_call(user)
    descendants = runner.children(recursive=True)
    server.send_signal(signal.SIGKILL)
    response = user.wait_for_turn(session_id, turn_id)
    assert response["status"] == "complete"
    assert [call["error_code"] for call in response["tool_calls"]] == ["E_TOOL_CRASHED"]
    assert not [process for process in descendants if is_alive(process)]
    again = user.ask(session_id, '/trial.wait {"seconds": 0}')
    assert again["tool_calls"][0]["results"]["waited"] == 0


def test_cancelled_turn_ends_within_two_seconds_and_its_tool_is_killed(
    system: SystemProcess, new_user: NewUser
) -> None:
    user = new_user()
    session_id, turn_id, _, runner = _start_silent_call(user)
    descendants = runner.children(recursive=True)
    with prioritized(system.process.pid):
        cancelled = time.monotonic()
        response = user.request("DELETE", f"/api/sessions/{session_id}/turns/{turn_id}")
        assert response.json()["status"] == "cancelled"
        while any(is_alive(process) for process in descendants):
            assert time.monotonic() - cancelled < CANCEL_SECONDS
            time.sleep(0.02)
    ends = [e["type"] for e in user.events(session_id, turn_id) if e["type"] in {"turn_failed", "response_complete"}]
    assert ends == ["turn_failed"]
    assert user.ask(session_id, '/trial.wait {"seconds": 0}')["status"] == "complete"
