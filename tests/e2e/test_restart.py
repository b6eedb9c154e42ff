"""The data of the local run are there again after a restart, also if the server was killed."""

import datetime as dt
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from infra.limits import HEARTBEAT_TIMEOUT_SECONDS
from tests.e2e.conftest import MCP_CONFIG, with_absolute_folder
from tests.e2e.system_process import SystemFailed, running_system, serve_command
from tests.e2e.user_client import UserClient, fetch, run_user, wait_for_tools
from tests.integration.mcp.test_http_sessions import serve
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS
from tests.processes import find_runners

INTERRUPTED = "The server stopped while the tool was running"
TOO_LATE = "The call was not approved in time"
SERVERS = ("report", "calculator", "trial", "approval", "asking", "asking_older")
CSV = b"region,units\nnorth,3\nsouth,4\n"


def files_of(user: UserClient) -> dict[str, Any]:
    """Return the digest of each file's content by its key and name, downloaded by the links of the listing."""
    listed = user.request("GET", "/api/files").json()["files"]
    return {
        f"{file['file_key']} {file['name']}": hashlib.sha256(fetch(user.url + file["download_url"]).content).hexdigest()
        for file in listed
    }


class Chat:
    """A chat with two files and a call of a tool, which is the same after a restart."""

    def __init__(self, user: UserClient) -> None:
        self.user = user
        self.session = user.create_session(title="Sales")
        user.upload(self.session, "sales.csv", CSV)
        self.response = user.ask(self.session, '/report.summarise {"filename": "sales.csv"}')
        self.link = user.request("GET", "/api/files").json()["files"][0]["download_url"]
        self.files, self.content = files_of(user), fetch(user.url + self.link).content
        self.turns = user.request("GET", f"/api/sessions/{self.session}").json()

    def check(self, url: str) -> None:
        """Check that the system at this URL has the chat, and that it can be continued."""
        user = replace(self.user, url=url)
        assert len(self.files) == 3
        assert user.request("GET", f"/api/sessions/{self.session}").json() == self.turns
        turn = user.request("GET", f"/api/sessions/{self.session}/turns/{self.response['turn_id']}").json()
        assert turn["tool_calls"] == self.response["tool_calls"]
        assert files_of(user) == self.files
        assert fetch(user.url + self.link).content == self.content
        answer = user.ask(self.session, '/calculator.evaluate {"expression": "2+3"}')
        assert answer["tool_calls"][0]["results"]["result"] == 5


class Question:
    """A question of a tool that waits for its user."""

    def __init__(self, user: UserClient, call: str) -> None:
        self.user = user
        self.session = user.create_session()
        self.turn_id = user.start_turn(self.session, call)["turn_id"]
        self.event = user.wait_for_event(self.session, self.turn_id, "input_requested")

    def answer(self, url: str, content: dict[str, Any]) -> int:
        """Answer at this URL. Return the status of the response."""
        path = f"/api/sessions/{self.session}/turns/{self.turn_id}/calls/{self.event['call_id']}/input"
        body = {"input_id": self.event["input_id"], "action": "accept", "content": content}
        return replace(self.user, url=url).request("POST", path, json=body).status_code

    def result(self, url: str) -> dict[str, Any]:
        """Wait for the end of the turn, and return its only call."""
        [call] = replace(self.user, url=url).wait_for_turn(self.session, self.turn_id)["tool_calls"]
        return dict(call)


@pytest.fixture
def a_day_later(tmp_path: Path) -> dict[str, str]:
    """Settings with which Satchel's clock is 25 hours ahead. Python imports a module of this name at its start."""
    code = "from datetime import timedelta\nfrom satchel.adapters.system_clock import SystemClock\n"
    code += "now = SystemClock.now\nSystemClock.now = lambda clock: now(clock) + timedelta(hours=25)\n"
    (tmp_path / "later").mkdir()
    (tmp_path / "later/sitecustomize.py").write_text(code)
    return {"PYTHONPATH": str(tmp_path / "later")}


@pytest.fixture
def tasks() -> Iterator[str]:
    """The URL of a server that works on calls as tasks, and that no restart of the system ends."""
    yield from serve(SERVER_PROGRAMS / "task_server.py")


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """Settings with a folder for the data. The servers are those that these tests call, because each is started."""
    entries = json.loads(MCP_CONFIG.read_text())
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({name: with_absolute_folder(entries[name]) for name in SERVERS}))
    return {"SATCHEL_DATA": str(tmp_path / "data"), "SATCHEL_MCP_CONFIG": str(config)}


def _last_result_at(user: UserClient, session: str, turn_id: str) -> float:
    """Return the time of the last result of a tool in a turn."""
    ends = [event["at"] for event in user.events(session, turn_id) if event["type"] == "tool_complete"]
    return dt.datetime.fromisoformat(ends[-1]).timestamp()


def test_chats_files_links_and_turns_continue_after_kills(
    settings: dict[str, str], a_day_later: dict[str, str]
) -> None:
    """One turn waits for an approval, one runs its second tool, one has just started, and two wait for answers.

    The question that needs no process is answered a day and two kills later, in another version of the state machine.
    """
    two_days, three_days = ({"SATCHEL_INPUT_SECONDS": str(days * 86_400)} for days in (2, 3))
    with running_system(serve_command(), settings=settings | two_days) as system:
        assert f"All chats and files stay in {settings['SATCHEL_DATA']}" in system.output()
        wait_for_tools(system.url)
        chat = Chat(UserClient(system.url, run_user("restart")))
        user = UserClient(system.url, run_user("continue"))
        waiting, running, new = (user.create_session() for _ in range(3))
        turn_id = user.start_turn(waiting, '/approval.write {"name": "note.txt", "text": "hello"}')["turn_id"]
        request = user.wait_for_event(waiting, turn_id, "tool_approval_request")
        steps = '{"steps": 1, "interval": 0, "silence": 600}'
        slow = f'/calculator.evaluate {{"expression": "2+3"}}\n/trial.report_steps {steps}'
        interrupted = user.start_turn(running, slow)["turn_id"]
        user.wait_for_event(running, interrupted, "tool_complete")
        user.read_note("call.json")  # the second tool runs
        question = Question(UserClient(system.url, run_user("asked")), '/asking.plan {"question": "Where to?"}')
        lost = Question(UserClient(system.url, run_user("lost")), '/asking_older.ask {"kinds": ["text"]}')
        runners = find_runners(system.process.pid, "calculator")
        for runner in runners:
            runner.suspend()  # so that the next call has not begun when the system is killed
        started = user.start_turn(new, '/calculator.evaluate {"expression": "3+4"}')["turn_id"]
        system.kill()
        assert runners
        for runner in runners:
            with suppress(psutil.NoSuchProcess):
                runner.kill()

    with running_system(serve_command(), settings=settings | two_days) as system:
        begun = time.time()
        user = replace(user, url=system.url)
        path = f"/api/sessions/{waiting}/turns/{turn_id}/calls/{request['call_id']}/approval"
        shown = user.request("GET", path).json()
        [added] = user.wait_for_turn(new, started)["tool_calls"]
        first, second = user.wait_for_turn(running, interrupted)["tool_calls"]
        seconds = _last_result_at(user, running, interrupted) - begun
        assert user.request("POST", path, json={"approved": True, "digest": shown["digest"]}).is_success
        [written] = user.wait_for_turn(waiting, turn_id)["tool_calls"]
        chat.check(system.url)
        assert lost.answer(system.url, {"value": "too late"}) == 409
        lost_call = lost.result(system.url)
        system.kill()

    with running_system(serve_command(), settings=settings | three_days | a_day_later) as system:
        statuses = [question.answer(system.url, {"city": city, "days": 4}) for city in ("Bern", "Bern", "Rome")]
        answered = question.result(system.url)

    assert statuses[0] == 200
    assert statuses[2] == 409
    assert json.dumps(answered["results"]).count("Bern") == 1
    assert (lost_call["error_code"], lost_call["results"]) == ("E_TOOL_CRASHED", {"error": INTERRUPTED})
    assert (written["results"], added["results"]["result"]) == (user.name, 7)
    assert first["results"]["result"] == 5
    assert (second["error_code"], second["results"]) == ("E_TOOL_CRASHED", {"error": INTERRUPTED})
    assert seconds < HEARTBEAT_TIMEOUT_SECONDS / 2


def test_chats_are_there_after_a_stop_during_which_an_approval_expired(
    settings: dict[str, str],
) -> None:
    with running_system(settings=settings | {"SATCHEL_APPROVAL_SECONDS": "2"}) as system:
        wait_for_tools(system.url)
        chat = Chat(UserClient(system.url, run_user("restart")))
        user = UserClient(system.url, run_user("continue"))
        session = user.create_session()
        turn_id = user.start_turn(session, '/approval.write {"name": "note.txt", "text": "hello"}')["turn_id"]
        request = user.wait_for_event(session, turn_id, "tool_approval_request")
    while dt.datetime.now(dt.UTC) < dt.datetime.fromisoformat(request["expires_at"]):
        time.sleep(0.05)

    with running_system(settings=settings) as system:
        user = replace(user, url=system.url)
        [refused] = user.wait_for_turn(session, turn_id)["tool_calls"]
        chat.check(system.url)

        second = f"process {system.process.pid} already uses the data folder"
        with pytest.raises(SystemFailed, match=second), running_system(settings=settings):
            pass

    assert (refused["error_code"], refused["results"]) == ("E_FORBIDDEN", {"error": TOO_LATE})


def test_task_of_a_server_is_polled_until_its_result_after_a_kill(tmp_path: Path, tasks: str) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"tasks": {"url": f"{tasks}/mcp"}}))
    settings = {"SATCHEL_DATA": str(tmp_path / "data"), "SATCHEL_MCP_CONFIG": str(config)}
    with running_system(settings=settings) as system:
        user = UserClient(system.url, run_user("task"))
        user.wait_for_tools()
        session = user.create_session()
        turn_id = user.start_turn(session, '/tasks.research {"topic": "hold"}')["turn_id"]
        requests: list[list[str]] = []
        while ["tasks/get", "task-1"] not in requests:
            requests += httpx2.get(f"{tasks}/requests", timeout=60).json()
            time.sleep(0.05)
        system.kill()
    requests += httpx2.get(f"{tasks}/requests", timeout=60).json()

    with running_system(settings=settings) as system:
        httpx2.post(f"{tasks}/release", timeout=60)
        [call] = replace(user, url=system.url).wait_for_turn(session, turn_id)["tool_calls"]
    later = httpx2.get(f"{tasks}/requests", timeout=60).json()

    assert (call["is_error"], call["results"]) == (False, "hold")
    assert [method for method, _ in requests + later].count("tools/call") == 1
    assert {name for method, name in later if method == "tasks/get"} == {"task-1"}


def test_server_whose_tools_could_read_the_data_does_not_start(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"reader": {"command": ["python", "main.py"], "read_paths": [str(tmp_path)]}}))
    settings = {"SATCHEL_DATA": str(tmp_path / "data"), "SATCHEL_MCP_CONFIG": str(config)}

    refusal = "the tools of 'reader' could read the data folder"
    with pytest.raises(SystemFailed, match=refusal), running_system(settings=settings):
        pass
