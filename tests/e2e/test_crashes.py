"""What is killed in the middle is noticed, said, and there again for the next call (a runner: ``test_time``)."""

import signal
import time

import psutil

from tests.e2e.conftest import Somebody
from tests.e2e.person import Person
from tests.processes import lives, runner_of

CANCEL_SECONDS = 2.0


def _start_waiting(person: Person) -> tuple[str, str, psutil.Process, psutil.Process]:
    """Start a call that only waits; return its session, its turn, the server that has it, and the runner of that."""
    session_id = person.session()
    turn = person.start(session_id, '/trial.plod {"words": 1, "every": 0, "silent": 60}')
    server = psutil.Process(person.noted("call.json")["pid"])
    return session_id, turn["turn_id"], server, runner_of(server, "trial")


def test_a_killed_server_is_reported_and_the_next_call_works(somebody: Somebody) -> None:
    person = somebody()
    session_id, turn_id, server, runner = _start_waiting(person)
    left = runner.children(recursive=True)
    server.send_signal(signal.SIGKILL)
    response = person.wait_for(session_id, turn_id)
    assert response["status"] == "complete"
    assert [call["error_code"] for call in response["tool_calls"]] == ["E_TOOL_CRASHED"]
    assert not [process for process in left if lives(process)]
    again = person.ask(session_id, '/trial.wait {"seconds": 0}')
    assert again["tool_calls"][0]["results"]["waited"] == 0


def test_a_cancelled_turn_ends_at_once_and_its_tool_is_killed(somebody: Somebody) -> None:
    person = somebody()
    session_id, turn_id, _, runner = _start_waiting(person)
    left = runner.children(recursive=True)
    cancelled = time.monotonic()
    answer = person.call("DELETE", f"/api/sessions/{session_id}/turns/{turn_id}")
    assert answer.json()["status"] == "cancelled"
    while any(lives(process) for process in left):
        assert time.monotonic() - cancelled < CANCEL_SECONDS
        time.sleep(0.02)
    ends = [e["type"] for e in person.events(session_id, turn_id) if e["type"] in {"turn_failed", "response_complete"}]
    assert ends == ["turn_failed"]
    assert person.ask(session_id, '/trial.wait {"seconds": 0}')["status"] == "complete"
