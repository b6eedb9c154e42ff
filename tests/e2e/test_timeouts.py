"""Timeouts in real time with real processes. The long cases run in parallel."""

import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import uuid4

import psutil
import pytest

from tests.e2e.conftest import MCP_CONFIG, with_absolute_folder
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import Json, UserClient, wait_for_tools
from tests.priority import prioritized
from tests.processes import find_runner, is_alive, is_pid_alive

NOTICES = {
    15: "The tool is taking longer than expected. Please wait...",
    20: "Still processing your request. This may take a few more moments.",
    25: "Processing continues. The tool will timeout in 5 seconds if no progress.",
    30: "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset.",
}
MESSAGES = {
    "silent": '/trial.wait_with_daemon {"seconds": 60}',
    "blocked": '/trial.block_with_daemon {"seconds": 60}',
    "reporting": '/trial.report_steps {"steps": 8, "interval": 5, "silence": 0}',
    "falling_silent": '/trial.report_steps {"steps": 2, "interval": 5, "silence": 60}',
    "killed_runner": '/trial.report_steps {"steps": 1, "interval": 0, "silence": 60}',
    "undecided": '/approval.write {"name": "never.txt", "text": ""}',
}
CASES_WITH_DAEMON = ("silent", "blocked")
APPROVAL_SECONDS = 40
MAX_DETECTION_SECONDS = 15.0  # a dead runner is noticed at once; missing heartbeats would be noticed after 30 s
MAX_EARLY_SECONDS = 0.3
MAX_LATE_SECONDS = 4.0
"""Less than the 5 s between two notices, and enough for a machine that is busy. Unit tests check the exact times."""
POLL_SECONDS = 0.02

pytestmark = pytest.mark.timeout(400)


@dataclass
class LongTurn:
    """A long turn. ``died`` has the time of death of its processes by name (seconds since 1970).

    ``descendants`` are the processes that a killed runner had started. ``watcher`` notes in ``died`` when a tool and
    its daemon die.
    """

    user: UserClient
    session_id: str
    turn_id: str
    died: dict[str, float] = field(default_factory=dict)
    descendants: list[psutil.Process] = field(default_factory=list)
    watcher: threading.Thread | None = None

    @property
    def path(self) -> str:
        return f"/api/sessions/{self.session_id}/turns/{self.turn_id}"

    def watch(self) -> None:
        """Watch the tool's process and its daemon until both are dead."""
        alive = {"tool": self.user.read_note("call.json")["pid"], "daemon": self.user.read_note("daemon.pid")}
        while alive:
            for name in [name for name, pid in alive.items() if not is_pid_alive(pid)]:
                self.died[name] = time.time()
                del alive[name]
            time.sleep(POLL_SECONDS)

    def kill_runner(self) -> None:
        """Kill the runner of the tool with SIGKILL, so that it cannot report anything."""
        runner = find_runner(psutil.Process(self.user.read_note("call.json")["pid"]), "trial")
        self.descendants = runner.children(recursive=True)
        runner.kill()
        self.died["runner"] = time.time()

    def response(self) -> Json:
        return self.user.wait_for_turn(self.session_id, self.turn_id)

    def events(self, type_: str) -> list[Json]:
        return [event for event in self.user.events(self.session_id, self.turn_id) if event["type"] == type_]

    def started_at(self) -> float:
        """Return the time at which the call started for the user, shortly before its tool did."""
        (event,) = self.events("tool_start")
        return _timestamp(event)

    def notices(self) -> dict[int, float]:
        """Return the time of each notice by its seconds."""
        assert {event["seconds"]: event["message"] for event in self.events("tool_notice")} == NOTICES
        return {event["seconds"]: _timestamp(event) for event in self.events("tool_notice")}


def _timestamp(event: Json) -> float:
    return datetime.fromisoformat(event["at"]).timestamp()


def _check_times(times: Iterable[tuple[int, float]], earliest_start: float, latest_start: float) -> None:
    """Check that each thing happened its seconds after the start, which was in this interval."""
    errors = [(seconds, at - seconds - earliest_start, at - seconds - latest_start) for seconds, at in times]
    assert min(early for _, early, _ in errors) >= -MAX_EARLY_SECONDS, errors
    assert max(late for _, _, late in errors) <= MAX_LATE_SECONDS, errors


def _warm(user: UserClient) -> str:
    """Start the user's server, so that the long call starts at once. Return the session id."""
    session_id = user.create_session()
    user.ask(session_id, '/trial.write {"name": "warm.txt", "text": ""}')
    return session_id


@pytest.fixture(scope="module")
def impatient_system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    """A system whose users have only ``APPROVAL_SECONDS`` to decide."""
    entries = json.loads(MCP_CONFIG.read_text())
    config = tmp_path_factory.mktemp("config") / "mcp.json"
    config.write_text(json.dumps({name: with_absolute_folder(entries[name]) for name in ("trial", "approval")}))
    settings = {"SATCHEL_MCP_CONFIG": str(config), "SATCHEL_APPROVAL_SECONDS": str(APPROVAL_SECONDS)}
    with running_system(settings=settings) as running:
        wait_for_tools(running.url)
        yield running


@pytest.fixture(scope="module")
def turns(system: SystemProcess, impatient_system: SystemProcess) -> Iterator[Mapping[str, LongTurn]]:
    urls = [impatient_system.url if case == "undecided" else system.url for case in MESSAGES]
    users = [UserClient(url, f"long{uuid4().hex[:12]}@example.com") for url in urls]
    with ThreadPoolExecutor(len(users)) as pool:
        sessions = list(pool.map(_warm, users))
    with prioritized(system.process.pid, impatient_system.process.pid):
        long_turns = {
            case: LongTurn(user, session_id, user.start_turn(session_id, message)["turn_id"])
            for user, session_id, (case, message) in zip(users, sessions, MESSAGES.items(), strict=True)
        }
        for case in CASES_WITH_DAEMON:
            long_turns[case].watcher = watcher = threading.Thread(target=long_turns[case].watch, daemon=True)
            watcher.start()
        long_turns["killed_runner"].kill_runner()
        yield long_turns


def test_killed_runner_fails_the_call_and_the_next_call_works(turns: Mapping[str, LongTurn]) -> None:
    turn = turns["killed_runner"]
    response = turn.response()
    assert response["status"] == "complete"
    assert [call["error_code"] for call in response["tool_calls"]] == ["E_TOOL_CRASHED"]
    (end,) = turn.events("tool_complete")
    assert _timestamp(end) - turn.died["runner"] < MAX_DETECTION_SECONDS
    assert not [process for process in turn.descendants if is_alive(process)]
    again = turn.user.ask(turn.session_id, '/trial.wait {"seconds": 0}')
    assert again["tool_calls"][0]["results"]["waited"] == 0


def _timed_out(last_progress: str | None) -> Json:
    """Return the specified metadata of a call that timed out."""
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


def test_call_without_a_decision_expires_and_the_model_gets_the_reason(turns: Mapping[str, LongTurn]) -> None:
    turn = turns["undecided"]
    response = turn.response()
    (call,) = response["tool_calls"]
    assert (call["error_code"], call["meta_data"]["reason"]) == ("E_FORBIDDEN", "NotApproved")
    assert call["results"] == {"error": "The call was not approved in time"}
    assert "The call was not approved in time" in response["message"]
    assert (response["status"], response["artifacts"]) == ("complete", [])

    ((request,), (end,)) = turn.events("tool_approval_request"), turn.events("tool_complete")
    requested_at, expires_at, ended_at = (
        datetime.fromisoformat(at) for at in (request["at"], request["expires_at"], end["at"])
    )
    # The time to decide begins after the event before, and before the request is an event.
    (before,) = [
        event for event in turn.user.events(turn.session_id, turn.turn_id) if event["seq"] == request["seq"] - 1
    ]
    begun_at = expires_at - timedelta(seconds=APPROVAL_SECONDS)
    assert datetime.fromisoformat(before["at"]) <= begun_at <= requested_at
    assert APPROVAL_SECONDS - 1 < (ended_at - begun_at).total_seconds() < APPROVAL_SECONDS + 15
    path = f"{turn.path}/calls/{call['call_id']}/approval"
    assert turn.user.request("POST", path, json={"approved": True}).json()["error_code"] == "E_APPROVAL_CLOSED"


@pytest.mark.clause(
    "v2.1:timeout:normal",
    "v2.1:timeout:notice-15s",
    "v2.1:timeout:notice-20s",
    "v2.1:timeout:notice-25s",
    "v2.1:timeout:told",
    "v2.1:time:timeout",
    "v2.1:timeout:discarded",
    "v2.1:timeout:killed",
)
@pytest.mark.parametrize("case", CASES_WITH_DAEMON)
def test_silent_tool_gets_three_notices_and_is_killed_with_its_daemon_after_30_s(
    turns: Mapping[str, LongTurn], case: str
) -> None:
    turn = turns[case]
    response = turn.response()
    start = turn.user.read_note("call.json")["at"]
    _check_times(turn.notices().items(), turn.started_at(), start)
    assert turn.watcher is not None
    turn.watcher.join()
    assert turn.died.keys() == {"tool", "daemon"}
    _check_times([(30, at) for at in turn.died.values()], turn.started_at(), start)

    (call,) = response["tool_calls"]
    assert call["results"] == {"error": "Tool execution timed out after 30 seconds"}
    assert call["meta_data"] == _timed_out(None)
    assert (response["status"], response["artifacts"]) == ("complete", [])
    files = turn.user.request("GET", "/api/files").json()["files"]
    assert [file["name"] for file in files] == ["warm.txt"]  # not those that the killed tool wrote
    again = turn.user.ask(turn.session_id, '/trial.write {"name": "again.txt", "text": ""}')
    assert again["tool_calls"][0]["is_error"] is False


@pytest.mark.clause("v2.1:progress:resets", "v2.1:errors:timeout")
def test_tool_that_falls_silent_is_killed_30_s_after_its_last_progress(turns: Mapping[str, LongTurn]) -> None:
    turn = turns["falling_silent"]
    response = turn.response()
    last_note = turn.user.read_note("call.json")
    _check_times(turn.notices().items(), last_note["at"], last_note["at"])
    assert not is_pid_alive(last_note["pid"])
    assert [call["meta_data"] for call in response["tool_calls"]] == [_timed_out("step 2 of 2")]


@pytest.mark.clause("v2.1:progress:resets")
def test_tool_that_reports_progress_is_neither_killed_nor_announced_as_slow(turns: Mapping[str, LongTurn]) -> None:
    turn = turns["reporting"]
    (call,) = turn.response()["tool_calls"]
    assert (call["is_error"], call["results"]) == (False, "done")
    assert call["duration_ms"] > 40_000  # longer than the 30 s after which a silent tool is killed
    assert turn.events("tool_notice") == []
    messages = [event["message"] for event in turn.events("tool_progress")]
    assert messages == [f"step {number} of 8" for number in range(1, 9)]
