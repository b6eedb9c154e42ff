"""The times of a tool as they are: real seconds, real processes, all the long cases side by side."""

import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

import psutil
import pytest

from tests.e2e.conftest import APPROVAL_SECONDS
from tests.e2e.person import Json, Person
from tests.e2e.system import System
from tests.processes import lives, pid_lives, runner_of

NOTICES = {
    15: "The tool is taking longer than expected. Please wait...",
    20: "Still processing your request. This may take a few more moments.",
    25: "Processing continues. The tool will timeout in 5 seconds if no progress.",
    30: "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset.",
}
MESSAGES = {
    "sleeps": '/trial.haunt {"seconds": 60}',
    "blocks": '/trial.freeze {"seconds": 60}',
    "plods": '/trial.plod {"words": 7, "every": 10, "silent": 0}',
    "fades": '/trial.plod {"words": 2, "every": 10, "silent": 60}',
    "orphaned": '/trial.plod {"words": 1, "every": 0, "silent": 60}',
    "asks": '/asking.write {"name": "never.txt", "text": ""}',
}
LEAVE_DAEMONS = ("sleeps", "blocks")
MISSED_SECONDS = 40.0  # a dead runner is noticed when its heartbeats stay out
NOTICE_ERROR, KILL_ERROR, LOOK_SECONDS = 0.3, 0.5, 0.02

pytestmark = pytest.mark.timeout(200)


@dataclass
class Long:
    """A turn that takes its time, and when its processes were seen to be dead (seconds since 1970).

    ``left``: what a runner had started that was killed.
    """

    person: Person
    session_id: str
    turn_id: str
    died: dict[str, float] = field(default_factory=dict)
    left: list[psutil.Process] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/api/sessions/{self.session_id}/turns/{self.turn_id}"

    def watch(self) -> None:
        """Look at the tool's process and its daemon from outside until both are dead."""
        alive = {"tool": self.person.noted("call.json")["pid"], "daemon": self.person.noted("daemon.pid")}
        while alive:
            for name in [name for name, pid in alive.items() if not pid_lives(pid)]:
                self.died[name] = time.time()
                del alive[name]
            time.sleep(LOOK_SECONDS)

    def kill_runner(self) -> None:
        """Kill the environment that the tool runs in, as the platform would: nothing in it gets a last word."""
        runner = runner_of(psutil.Process(self.person.noted("call.json")["pid"]), "trial")
        self.left = runner.children(recursive=True)
        runner.kill()
        self.died["runner"] = time.time()

    def response(self) -> Json:
        return self.person.wait_for(self.session_id, self.turn_id)

    def told(self, kind: str) -> list[Json]:
        return [event for event in self.person.events(self.session_id, self.turn_id) if event["type"] == kind]

    def silences(self, since: float) -> dict[int, float]:
        """Return by how much each notice missed its time, counted from when the tool last had the word."""
        assert {event["seconds"]: event["message"] for event in self.told("tool_notice")} == NOTICES
        return {
            event["seconds"]: datetime.fromisoformat(event["at"]).timestamp() - since - event["seconds"]
            for event in self.told("tool_notice")
        }


def _warm(person: Person) -> str:
    """Have the person's server started, so that the long call begins at once; return the session."""
    session_id = person.session()
    person.ask(session_id, '/trial.write {"name": "warm.txt", "text": ""}')
    return session_id


@pytest.fixture(scope="module")
def turns(system: System) -> Mapping[str, Long]:
    people = [Person(system.url, f"long{uuid4().hex[:12]}@example.com") for _ in MESSAGES]
    with ThreadPoolExecutor(len(people)) as pool:
        sessions = list(pool.map(_warm, people))
    long = {
        case: Long(person, session_id, person.start(session_id, message)["turn_id"])
        for person, session_id, (case, message) in zip(people, sessions, MESSAGES.items(), strict=True)
    }
    for case in LEAVE_DAEMONS:
        threading.Thread(target=long[case].watch, daemon=True).start()
    long["orphaned"].kill_runner()
    return long


def test_a_killed_runner_is_missed_and_the_next_call_works(turns: Mapping[str, Long]) -> None:
    turn = turns["orphaned"]
    response = turn.response()
    assert response["status"] == "complete"
    assert [call["error_code"] for call in response["tool_calls"]] == ["E_TOOL_CRASHED"]
    (told,) = turn.told("tool_complete")
    assert datetime.fromisoformat(told["at"]).timestamp() - turn.died["runner"] < MISSED_SECONDS
    assert not [process for process in turn.left if lives(process)]
    again = turn.person.ask(turn.session_id, '/trial.wait {"seconds": 0}')
    assert again["tool_calls"][0]["results"]["waited"] == 0


def _timed_out(last_progress: str | None) -> Json:
    """Return what the specification says that a call which timed out comes to, but for the figures."""
    return {
        "is_error": True,
        "reason": "ExecutionTimeout",
        "error_code": "E_TIMEOUT",
        "details": {
            "timeout_seconds": 30,
            "last_progress": last_progress,
            "suggestion": "Consider breaking large operations into smaller chunks or using progress reporting",
        },
        "retryable": True,
    }


def test_a_call_that_nobody_decides_about_expires_and_the_model_is_told(turns: Mapping[str, Long]) -> None:
    turn = turns["asks"]
    response = turn.response()
    (call,) = response["tool_calls"]
    assert (call["error_code"], call["meta_data"]["reason"]) == ("E_FORBIDDEN", "NotApproved")
    assert call["results"] == {"error": "Nobody approved the call in time"}
    assert "Nobody approved the call in time" in response["message"]
    assert (response["status"], response["artifacts"]) == ("complete", [])

    ((asked,), (ended,)) = turn.told("tool_approval_request"), turn.told("tool_complete")
    begun, expires, over = (datetime.fromisoformat(at) for at in (asked["at"], asked["expires_at"], ended["at"]))
    assert abs((expires - begun).total_seconds() - APPROVAL_SECONDS) < 1
    assert APPROVAL_SECONDS - 1 < (over - begun).total_seconds() < APPROVAL_SECONDS + 5
    address = f"{turn.path}/calls/{call['call_id']}/approval"
    assert turn.person.call("POST", address, json={"approved": True}).json()["error_code"] == "E_APPROVAL_CLOSED"


@pytest.mark.clause(
    "v2.1:timeout:notice-15s", "v2.1:timeout:notice-20s", "v2.1:timeout:notice-25s", "v2.1:timeout:killed"
)
@pytest.mark.parametrize("case", LEAVE_DAEMONS)
def test_a_silent_tool_is_announced_and_then_killed_with_its_daemon(turns: Mapping[str, Long], case: str) -> None:
    turn = turns[case]
    response = turn.response()
    began = turn.person.noted("call.json")["at"]
    errors = turn.silences(began)
    assert all(abs(errors[seconds]) <= NOTICE_ERROR for seconds in (15, 20, 25)), errors
    late = {name: at - began - 30 for name, at in turn.died.items()}
    assert late.keys() == {"tool", "daemon"}
    assert all(abs(error) <= KILL_ERROR for error in late.values()), late

    (call,) = response["tool_calls"]
    assert call["results"] == {"error": "Tool execution timed out after 30 seconds"}
    assert call["meta_data"] == _timed_out(None)
    assert response["status"] == "complete"
    again = turn.person.ask(turn.session_id, '/trial.write {"name": "again.txt", "text": ""}')
    assert again["tool_calls"][0]["is_error"] is False


@pytest.mark.clause("v2.1:progress:resets", "v2.1:errors:timeout")
def test_a_tool_that_falls_silent_dies_thirty_seconds_after_its_last_word(turns: Mapping[str, Long]) -> None:
    turn = turns["fades"]
    response = turn.response()
    last_word = turn.person.noted("call.json")
    errors = turn.silences(last_word["at"])
    assert all(abs(error) <= KILL_ERROR for error in errors.values()), errors
    assert not pid_lives(last_word["pid"])
    assert [call["meta_data"] for call in response["tool_calls"]] == [_timed_out("step 2 of 2")]


@pytest.mark.clause("v2.1:progress:resets")
def test_a_tool_that_reports_progress_may_go_on_and_nobody_is_warned(turns: Mapping[str, Long]) -> None:
    turn = turns["plods"]
    (call,) = turn.response()["tool_calls"]
    assert (call["is_error"], call["results"]) == (False, "plodded")
    assert call["duration_ms"] > 70_000
    assert turn.told("tool_notice") == []
    words = [event["message"] for event in turn.told("tool_progress")]
    assert words == [f"step {number} of 7" for number in range(1, 8)]
