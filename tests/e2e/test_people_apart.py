"""People who use the system at the same time see nothing of each other."""

from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.e2e.conftest import Somebody
from tests.e2e.person import Json, Person

PEOPLE = 5
TURNS_EACH = 4


def _turn(person: Person, number: int) -> tuple[str, Json]:
    session_id = person.session()
    call = f'/trial.write {{"name": "note{number}.txt", "text": "of {person.name} {number}", "username": "mallory"}}'
    return session_id, person.ask(session_id, call)


def test_twenty_turns_of_five_people_at_once_complete_and_stay_apart(somebody: Somebody) -> None:
    people = [somebody() for _ in range(PEOPLE)]
    wanted = [(person, number) for number in range(TURNS_EACH) for person in people]
    with ThreadPoolExecutor(len(wanted)) as pool:
        done = list(pool.map(lambda pair: (pair[0], *_turn(*pair)), wanted))
    assert [response["status"] for _, _, response in done] == ["complete"] * len(wanted)
    for person, _, response in done:
        assert response["tool_calls"][0]["results"] == person.name
    for person in people:
        listed = person.call("GET", "/api/files").json()["files"]
        assert sorted(file["name"] for file in listed) == [f"note{number}.txt" for number in range(TURNS_EACH)]
        others = [(sid, response) for owner, sid, response in done if owner is not person]
        _sees_nothing_of(person, others)


def _sees_nothing_of(person: Person, others: list[tuple[str, Json]]) -> None:
    """Not found, never forbidden: that something exists is a secret as well."""
    for session_id, response in others[:3]:
        turn, key = response["turn_id"], response["artifacts"][0]["file_key"]
        for method, path in [
            ("GET", f"/api/sessions/{session_id}"),
            ("DELETE", f"/api/sessions/{session_id}"),
            ("GET", f"/api/sessions/{session_id}/turns/{turn}"),
            ("GET", f"/api/sessions/{session_id}/turns/{turn}/events"),
            ("DELETE", f"/api/sessions/{session_id}/turns/{turn}"),
            ("GET", f"/api/files/{key}"),
            ("DELETE", f"/api/files/{key}"),
            ("GET", f"/api/files?session_id={session_id}"),
            ("GET", f"/api/files/download/{key}"),
        ]:
            assert person.call(method, path).status_code == httpx2.codes.NOT_FOUND, (method, path)
        message = {"message": "hello", "files": [key]}
        own = person.session()
        assert person.call("POST", f"/api/sessions/{own}/turns", json=message).status_code == httpx2.codes.NOT_FOUND


@pytest.mark.clause("v2.1:storage:apart")
def test_a_file_of_somebody_else_is_no_file_for_a_tool(somebody: Somebody) -> None:
    owner, other = somebody(), somebody()
    record = owner.upload(owner.session(), "diary.txt", b"secret")
    session_id = other.session()
    for name in ("diary.txt", record["file_key"]):
        response = other.ask(session_id, f'/trial.read {{"filename": "{name}"}}')
        call = response["tool_calls"][0]
        assert call["results"] == {"missing": name}
        assert call["meta_data"]["unresolved_files"] == {name: []}


@pytest.mark.clause("v4:registry:groups")
def test_a_server_for_other_groups_is_neither_listed_nor_run(somebody: Somebody) -> None:
    person, staff = somebody(), somebody("users,staff")
    assert "closed" not in [s["name"] for s in person.call("GET", "/api/tools").json()["servers"]]
    assert "closed" in [s["name"] for s in staff.call("GET", "/api/tools").json()["servers"]]
    refused = person.ask(person.session(), '/closed.wait {"seconds": 0}')["tool_calls"][0]
    allowed = staff.ask(staff.session(), '/closed.wait {"seconds": 0}')["tool_calls"][0]
    assert (refused["error_code"], allowed["error_code"]) == ("E_FORBIDDEN", None)
