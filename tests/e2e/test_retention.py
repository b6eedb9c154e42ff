"""Retention: deferred files that the user keeps, and temporary files and workspaces that are deleted."""

import time
from pathlib import Path

import pytest

from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, run_user

_MAX_CLEANUP_SECONDS = 120  # only bounds a failing test


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    return UserClient(system.url, run_user("retention"))


def _files(user: UserClient) -> dict[str, Json]:
    return {file["name"]: file for file in user.request("GET", "/api/files").json()["files"]}


@pytest.mark.clause("v2.1:deferred:by-name", "v2.1:deferred:fields")
def test_deferred_file_is_input_of_a_later_call_by_name_and_can_be_kept(user: UserClient) -> None:
    session_id = user.create_session()
    (deferred,) = user.ask(session_id, "/artifacts.deferred_file")["deferred_artifacts"]
    assert (deferred["reason"], deferred["next_actions"]) == ("needs_editing", ["Edit it"])
    (summary,) = user.ask(session_id, '/report.summarise {"filename": "draft.csv"}')["tool_calls"]
    assert (summary["is_error"], summary["results"]["rows"]) == (False, 1)
    (listed,) = user.ask(session_id, '/satchel.list_files {"source": "deferred"}')["tool_calls"]
    (entry,) = listed["results"]["files"]
    assert (entry["name"], entry["status"], entry["next_actions"]) == ("draft.csv", "needs editing", ["Edit it"])
    record = user.request("POST", f"/api/files/{deferred['file_key']}/keep").json()
    assert (record["source"], record["expires_at"]) == ("generated", None)
    assert _files(user)["draft.csv"]["expires_at"] is None


@pytest.mark.clause("v2.1:display:temporary")
def test_temporary_file_is_deleted_when_its_session_ends(user: UserClient) -> None:
    session_id = user.create_session()
    user.ask(session_id, "/artifacts.temporary_file")
    permanent = user.upload(session_id, "permanent.txt", b"stays")
    assert "scratch.txt" in _files(user)
    assert user.request("DELETE", f"/api/sessions/{session_id}").status_code == 204
    deadline = time.monotonic() + _MAX_CLEANUP_SECONDS
    while "scratch.txt" in _files(user):
        assert time.monotonic() < deadline, "the temporary file was not deleted"
        time.sleep(0.05)
    assert user.request("GET", f"/api/files/{permanent['file_key']}").json()["b64"] == "c3RheXM="


@pytest.mark.clause("v2.1:isolation:cleanup-at-end")
def test_workspace_is_emptied_when_the_session_ends(user: UserClient) -> None:
    session_id = user.create_session()
    user.upload(session_id, "units.csv", b"units\n1\n")
    user.ask(session_id, '/report.summarise {"filename": "units.csv"}')
    workspace = Path("/tmp") / user.name
    assert (workspace / "input_files" / "units.csv").exists()
    user.request("DELETE", f"/api/sessions/{session_id}")
    deadline = time.monotonic() + _MAX_CLEANUP_SECONDS
    while any(workspace.iterdir()):
        assert time.monotonic() < deadline, "the workspace was not emptied"
        time.sleep(0.05)
