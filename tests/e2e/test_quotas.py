"""Quotas of users in a system with small limits, over HTTP, and with the command line."""

import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.system_process import ROOT, SystemProcess, environment, running_system
from tests.e2e.user_client import UserClient, wait_for_tools

SERVER = {"command": ["python", "main.py"], "cwd": str(ROOT / "functions/servers/calculator")}
LIMITS = {
    "SATCHEL_USER_OPEN_SESSIONS": "3",
    "SATCHEL_USER_RUNNING_CALLS": "1",
    "SATCHEL_USER_UPLOADS": "1",
    "SATCHEL_USER_STORED_BYTES": "1000",
    "SATCHEL_USER_REQUESTS_PER_SECOND": "3",  # so few that a flood on a busy machine exceeds them
}


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    config = tmp_path_factory.mktemp("config") / "mcp.json"
    config.write_text(json.dumps({"calculator": SERVER}))
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config), **LIMITS}) as running:
        wait_for_tools(running.url)
        yield running


@pytest.fixture
def user(system: SystemProcess) -> UserClient:
    return UserClient(system.url, f"u{uuid.uuid4().hex[:12]}@example.com")


def test_fourth_session_is_refused_until_one_ends(user: UserClient) -> None:
    with ThreadPoolExecutor(5) as pool:
        responses = list(pool.map(lambda _: user.request("POST", "/api/sessions"), range(5)))

    assert sorted(response.status_code for response in responses) == [201, 201, 201, 429, 429]
    session_id = next(response.json()["session_id"] for response in responses if response.is_success)
    assert user.request("DELETE", f"/api/sessions/{session_id}").status_code == 204
    assert user.create_session()


def test_storage_and_uploads_have_limits_and_me_shows_them(user: UserClient) -> None:
    user.upload(None, "a.bin", b"a" * 500)
    started = user.request("POST", "/api/files/uploads", json={"name": "b", "size": 400})
    second = user.request("POST", "/api/files/uploads", json={"name": "c", "size": 1})
    small = user.request("POST", "/api/files", files={"file": ("d", b"d" * 200)})

    assert (started.status_code, second.status_code, small.status_code) == (201, 429, 413)
    assert {second.json()["error_code"], small.json()["error_code"]} == {"E_QUOTA_EXCEEDED"}
    quotas = user.request("GET", "/api/me").json()["quotas"]
    assert quotas["stored_bytes"] == {"limit": 1000, "used": 900, "resets_at": None}
    assert quotas["uploads"] == {"limit": 1, "used": 1, "resets_at": None}


def test_parallel_calls_past_the_quota_wait_and_then_run(user: UserClient) -> None:
    calls = "\n".join(f'/calculator.evaluate {{"expression": "{number} * 2"}}' for number in (1, 2))

    session_id = user.create_session()

    response = user.ask(session_id, calls)

    assert [call["results"]["result"] for call in response["tool_calls"]] == [2, 4]
    events = [event["type"] for event in user.events(session_id, response["turn_id"])]
    ends = {"tool_start", "tool_complete"}
    assert [kind for kind in events if kind in ends] == ["tool_start", "tool_complete"] * 2
    assert user.request("GET", "/api/me").json()["quotas"]["running_calls"] == {
        "limit": 1,
        "used": 0,
        "resets_at": None,
    }


def test_other_user_is_answered_while_one_floods_the_api(system: SystemProcess, user: UserClient) -> None:
    other = UserClient(system.url, f"u{uuid.uuid4().hex[:12]}@example.com")
    with user.client() as http, ThreadPoolExecutor(8) as pool:
        flood = [pool.submit(http.get, "/api/config") for _ in range(400)]
        answers = [other.request("GET", "/api/config") for _ in range(10)]
        responses = [future.result() for future in flood]

    refused = [response for response in responses if response.status_code == 429]
    assert refused
    assert {response.headers["Retry-After"] for response in refused} == {"1"}
    assert {response.status_code for response in answers} == {200}


def test_command_line_prints_what_is_used_up(user: UserClient) -> None:
    for _ in range(3):
        user.create_session()

    command = [sys.executable, "-m", "local.cli.main", "ask", "hi", "--url", user.url, "--user", user.name]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment({}))  # noqa: S603

    assert result.returncode == 2
    assert "You have 3 open chats, the maximum. End one, then try again" in result.stderr
    assert "E_QUOTA_EXCEEDED" in result.stderr
