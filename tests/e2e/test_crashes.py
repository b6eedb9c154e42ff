"""What is killed in the middle is noticed, said, and there again for the next call."""

import signal
import time
from collections.abc import Callable

import psutil
import pytest

from tests.e2e.conftest import Somebody
from tests.e2e.person import Person
from tests.e2e.system import System
from tests.processes import children_named, lives

PATIENCE = 30.0
MOST_SECONDS = 40.0  # a dead runner is noticed when its heartbeats stay out


def _runner(system: System, tenant_of: Callable[[], set[int]]) -> psutil.Process:
    """Wait for the runner's environment that has begun since."""
    before = tenant_of()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for process in _environments(system):
            if process.pid not in before and process.children():
                return process
        time.sleep(0.05)
    raise AssertionError("no runner has begun")


def _environments(system: System) -> list[psutil.Process]:
    return children_named("run-trial", system.process.pid)


def _start_waiting(system: System, person: Person) -> tuple[str, str, psutil.Process]:
    """Start a call that only waits; return its session, its turn, and the runner that it waits in."""
    before = {process.pid for process in _environments(system)}
    session_id = person.session()
    turn = person.start(session_id, '/trial.wait {"seconds": 60}')
    runner = _runner(system, lambda: before)
    _wait_for_call(person, session_id, turn["turn_id"], runner)
    return session_id, turn["turn_id"], runner


def _wait_for_call(person: Person, session_id: str, turn_id: str, runner: psutil.Process) -> None:
    """The server has answered its first words when its process rests."""
    del person, session_id, turn_id
    deadline = time.monotonic() + PATIENCE
    server = runner.children()[0]
    while time.monotonic() < deadline:
        used = sum(server.cpu_times()[:2])
        time.sleep(0.4)
        if sum(server.cpu_times()[:2]) - used < 0.02 and used > 0.3:
            return
    raise AssertionError("the server did not come to rest")


@pytest.mark.parametrize("victim", ["the server", "the environment"])
def test_a_killed_process_is_reported_and_the_next_call_works(system: System, somebody: Somebody, victim: str) -> None:
    person = somebody()
    session_id, turn_id, runner = _start_waiting(system, person)
    doomed = runner.children()[0] if victim == "the server" else runner
    left = runner.children(recursive=True)
    killed = time.monotonic()
    doomed.send_signal(signal.SIGKILL)
    response = person.wait_for(session_id, turn_id)
    assert time.monotonic() - killed < MOST_SECONDS
    assert response["status"] == "complete"
    assert [call["error_code"] for call in response["tool_calls"]] == ["E_TOOL_CRASHED"]
    assert not [process for process in left if lives(process)]
    again = person.ask(session_id, '/trial.wait {"seconds": 0}')
    assert again["tool_calls"][0]["results"]["waited"] == 0


def test_a_cancelled_turn_ends_at_once_and_its_tool_is_killed(system: System, somebody: Somebody) -> None:
    person = somebody()
    session_id, turn_id, runner = _start_waiting(system, person)
    server = runner.children()[0]
    cancelled = time.monotonic()
    answer = person.call("DELETE", f"/api/sessions/{session_id}/turns/{turn_id}")
    assert answer.json()["status"] == "cancelled"
    server.wait(5)
    assert time.monotonic() - cancelled < 4
    ends = [e["type"] for e in person.events(session_id, turn_id) if e["type"] in {"turn_failed", "response_complete"}]
    assert ends == ["turn_failed"]
    assert person.ask(session_id, '/trial.wait {"seconds": 0}')["status"] == "complete"
