"""Files that go by themselves, in the whole system: a draft used by its name and kept, a temporary file, the list."""

import time
from pathlib import Path

import pytest

from tests.e2e.person import Json, Person
from tests.e2e.system import System

_MAX_CLEARING_SECONDS = 15


@pytest.fixture(scope="module")
def person(system: System) -> Person:
    return Person(system.url, "going@example.com")


def _files(person: Person) -> dict[str, Json]:
    return {file["name"]: file for file in person.call("GET", "/api/files").json()["files"]}


@pytest.mark.clause("v2.1:deferred:by-name", "v2.1:deferred:fields")
def test_a_draft_is_used_by_its_name_in_a_later_call_and_kept(person: Person) -> None:
    session_id = person.session()
    (waiting,) = person.ask(session_id, "/author.draft")["deferred_artifacts"]
    assert (waiting["reason"], waiting["next_actions"]) == ("needs_editing", ["Edit it"])
    (read,) = person.ask(session_id, '/report.summarise {"filename": "draft.csv"}')["tool_calls"]
    assert (read["is_error"], read["results"]["rows"]) == (False, 1)
    (listed,) = person.ask(session_id, '/satchel.list_files {"source": "deferred"}')["tool_calls"]
    (told,) = listed["results"]["files"]
    assert (told["name"], told["status"], told["next_actions"]) == ("draft.csv", "needs editing", ["Edit it"])
    kept = person.call("POST", f"/api/files/{waiting['file_key']}/keep").json()
    assert (kept["source"], kept["expires_at"]) == ("generated", None)
    assert _files(person)["draft.csv"]["expires_at"] is None


@pytest.mark.clause("v2.1:display:temporary")
def test_a_temporary_file_is_deleted_when_its_session_ends(person: Person) -> None:
    session_id = person.session()
    person.ask(session_id, "/author.scratch")
    stays = person.upload(session_id, "stays.txt", b"stays")
    assert "scratch.txt" in _files(person)
    assert person.call("DELETE", f"/api/sessions/{session_id}").status_code == 204
    deadline = time.monotonic() + _MAX_CLEARING_SECONDS
    while "scratch.txt" in _files(person):
        assert time.monotonic() < deadline, "the session was not cleared"
        time.sleep(0.05)
    assert person.call("GET", f"/api/files/{stays['file_key']}").json()["b64"] == "c3RheXM="


@pytest.mark.clause("v2.1:isolation:cleanup-at-end")
def test_what_a_sessions_tools_left_under_tmp_goes_when_it_ends(person: Person) -> None:
    session_id = person.session()
    person.upload(session_id, "units.csv", b"units\n1\n")
    person.ask(session_id, '/report.summarise {"filename": "units.csv"}')
    corner = Path("/tmp") / person.name
    assert (corner / "input_files" / "units.csv").exists()
    person.call("DELETE", f"/api/sessions/{session_id}")
    deadline = time.monotonic() + _MAX_CLEARING_SECONDS
    while any(corner.iterdir()):
        assert time.monotonic() < deadline, "the corner was not cleared"
        time.sleep(0.05)
