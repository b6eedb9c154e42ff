"""The data of the local run are there again after a restart, also if the server was killed."""

import datetime as dt
import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.limits import HEARTBEAT_TIMEOUT_SECONDS
from tests.e2e.conftest import MCP_CONFIG, NO_CART
from tests.e2e.system_process import SystemFailed, running_system
from tests.e2e.user_client import UserClient, fetch, run_user

INTERRUPTED = "The server stopped while the tool was running"
TOO_LATE = "The call was not approved in time"
CSV = b"region,units\nnorth,3\nsouth,4\n"


def files_of(user: UserClient) -> dict[str, Any]:
    """Return the digest of each file's content by its key and name, downloaded by the links of the listing."""
    listed = user.request("GET", "/api/files").json()["files"]
    return {
        f"{file['file_key']} {file['name']}": hashlib.sha256(fetch(user.url + file["download_url"]).content).hexdigest()
        for file in listed
    }


@pytest.mark.parametrize("ending", ["killed", "stopped"])
def test_chats_files_and_links_are_there_after_a_restart(tmp_path: Path, ending: str) -> None:
    settings, name = {"SATCHEL_DATA": str(tmp_path / "data")}, run_user("restart")
    with running_system(settings=settings) as system:
        assert f"All chats and files stay in {tmp_path / 'data'}" in system.output()
        user = UserClient(system.url, name)
        session = user.create_session(title="Sales")
        user.upload(session, "sales.csv", CSV)
        response = user.ask(session, '/report.summarise {"filename": "sales.csv"}')
        link = user.request("GET", "/api/files").json()["files"][0]["download_url"]
        files, content = files_of(user), fetch(user.url + link).content
        turns = user.request("GET", f"/api/sessions/{session}").json()
        if ending == "killed":
            system.kill()
    assert len(files) == 3

    with running_system(settings=settings) as system:
        user = UserClient(system.url, name)

        assert user.request("GET", f"/api/sessions/{session}").json() == turns
        turn = user.request("GET", f"/api/sessions/{session}/turns/{response['turn_id']}").json()
        assert turn["tool_calls"] == response["tool_calls"]
        assert files_of(user) == files
        assert fetch(user.url + link).content == content
        answer = user.ask(session, '/calculator.evaluate {"expression": "2+3"}')
        assert answer["tool_calls"][0]["results"]["result"] == 5


def test_turns_that_ran_at_the_end_continue_after_a_restart(tmp_path: Path) -> None:
    """One turn waits for an approval, one runs its second tool, one has just started."""
    settings = {"SATCHEL_DATA": str(tmp_path / "data"), "SATCHEL_MCP_CONFIG": str(MCP_CONFIG), **NO_CART}
    with running_system(settings=settings) as system:
        user = UserClient(system.url, run_user("restart"))
        waiting, running, new = (user.create_session() for _ in range(3))
        turn_id = user.start_turn(waiting, '/approval.write {"name": "note.txt", "text": "hello"}')["turn_id"]
        request = user.wait_for_event(waiting, turn_id, "tool_approval_request")
        slow = '/calculator.evaluate {"expression": "2+3"}\n/trial.wait {"seconds": 600}'
        interrupted = user.start_turn(running, slow)["turn_id"]
        user.wait_for_event(running, interrupted, "tool_complete")
        started = user.start_turn(new, '/calculator.evaluate {"expression": "3+4"}')["turn_id"]
        system.kill()

    with running_system(settings=settings) as system:
        begun = time.monotonic()
        user = replace(user, url=system.url)
        path = f"/api/sessions/{waiting}/turns/{turn_id}/calls/{request['call_id']}/approval"
        shown = user.request("GET", path).json()
        [added] = user.wait_for_turn(new, started)["tool_calls"]
        first, second = user.wait_for_turn(running, interrupted)["tool_calls"]
        seconds = time.monotonic() - begun
        assert user.request("POST", path, json={"approved": True, "digest": shown["digest"]}).is_success
        [written] = user.wait_for_turn(waiting, turn_id)["tool_calls"]

    assert (written["results"], added["results"]["result"]) == (user.name, 7)
    assert first["results"]["result"] == 5
    assert (second["error_code"], second["results"]) == ("E_TOOL_CRASHED", {"error": INTERRUPTED})
    assert seconds < HEARTBEAT_TIMEOUT_SECONDS / 2


def test_approval_whose_time_ended_during_a_stop_ends_with_the_error_of_a_timeout(tmp_path: Path) -> None:
    settings = {"SATCHEL_DATA": str(tmp_path / "data"), "SATCHEL_MCP_CONFIG": str(MCP_CONFIG), **NO_CART}
    with running_system(settings=settings | {"SATCHEL_APPROVAL_SECONDS": "2"}) as system:
        user = UserClient(system.url, run_user("restart"))
        session = user.create_session()
        turn_id = user.start_turn(session, '/approval.write {"name": "note.txt", "text": "hello"}')["turn_id"]
        request = user.wait_for_event(session, turn_id, "tool_approval_request")
        system.kill()
    while dt.datetime.now(dt.UTC) < dt.datetime.fromisoformat(request["expires_at"]):
        time.sleep(0.05)

    with running_system(settings=settings) as system:
        user = replace(user, url=system.url)
        [refused] = user.wait_for_turn(session, turn_id)["tool_calls"]

    assert (refused["error_code"], refused["results"]) == ("E_FORBIDDEN", {"error": TOO_LATE})


def test_second_server_does_not_start_and_names_the_first(tmp_path: Path) -> None:
    settings = {"SATCHEL_DATA": str(tmp_path / "data")}
    with running_system(settings=settings) as first:
        refusal = f"process {first.process.pid} already uses the data folder"
        with pytest.raises(SystemFailed, match=refusal), running_system(settings=settings):
            pass


def test_server_whose_tools_could_read_the_data_does_not_start(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"reader": {"command": ["python", "main.py"], "read_paths": [str(tmp_path)]}}))
    settings = {"SATCHEL_DATA": str(tmp_path / "data"), "SATCHEL_MCP_CONFIG": str(config)}

    refusal = "the tools of 'reader' could read the data folder"
    with pytest.raises(SystemFailed, match=refusal), running_system(settings=settings):
        pass
