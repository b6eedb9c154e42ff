"""A silent tool is announced at 15, 20 and 25 seconds and dead at 30, with all that it started: in real time, once."""

import time
from datetime import datetime
from pathlib import Path

import psutil
import pytest

from tests.e2e.conftest import Somebody
from tests.e2e.person import Json, Person
from tests.processes import lives

NOTICES = {
    15: "The tool is taking longer than expected. Please wait...",
    20: "Still processing your request. This may take a few more moments.",
    25: "Processing continues. The tool will timeout in 5 seconds if no progress.",
    30: "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset.",
}
# The clock of silence starts when the server has the call; what comes before is a spawn, on a busy machine.
START_SECONDS = 8.0


def _daemon(person: Person) -> psutil.Process:
    noted = Path("/tmp") / person.name / "daemon.pid"
    deadline = time.monotonic() + 30
    while not (noted.exists() and noted.read_text()):
        assert time.monotonic() < deadline, "the tool has not begun"
        time.sleep(0.05)
    return psutil.Process(int(noted.read_text()))


def _seconds_after(start: Json, event: Json) -> float:
    began, at = (datetime.fromisoformat(e["at"]) for e in (start, event))
    return (at - began).total_seconds()


@pytest.mark.clause(
    "v2.1:timeout:notice-15s", "v2.1:timeout:notice-20s", "v2.1:timeout:notice-25s", "v2.1:timeout:killed"
)
def test_a_silent_tool_is_announced_and_then_killed_with_its_daemon(somebody: Somebody) -> None:
    person = somebody()
    session_id = person.session()
    turn = person.start(session_id, '/trial.haunt {"seconds": 60}')
    daemon = _daemon(person)
    response = person.wait_for(session_id, turn["turn_id"])
    assert not lives(daemon)

    events = person.events(session_id, turn["turn_id"])
    start = next(event for event in events if event["type"] == "tool_start")
    told = [event for event in events if event["type"] == "tool_notice"]
    assert {event["seconds"]: event["message"] for event in told} == NOTICES
    first = _seconds_after(start, told[0])
    assert 15 <= first < 15 + START_SECONDS
    for event in told[1:]:
        assert abs(_seconds_after(told[0], event) - (event["seconds"] - 15)) < 0.5

    call = response["tool_calls"][0]
    assert call["results"] == {"error": "Tool execution timed out after 30 seconds"}
    assert call["meta_data"] == {
        "is_error": True,
        "reason": "ExecutionTimeout",
        "error_code": "E_TIMEOUT",
        "details": {
            "timeout_seconds": 30,
            "last_progress": None,
            "suggestion": "Consider breaking large operations into smaller chunks or using progress reporting",
        },
        "retryable": True,
    }
    assert response["status"] == "complete"
    assert person.ask(session_id, '/trial.wait {"seconds": 0}')["tool_calls"][0]["is_error"] is False
