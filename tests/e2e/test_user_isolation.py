"""Isolation of users: no user can see or use the data of another."""

from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.e2e.conftest import SIGN_INS, NewUser
from tests.e2e.user_client import Json, UserClient

pytestmark = SIGN_INS
USERS = 5
TURNS_EACH = 4


def _write_note(user: UserClient, number: int) -> tuple[str, Json]:
    session_id = user.create_session()
    call = f'/trial.write {{"name": "note{number}.txt", "text": "of {user.name} {number}", "username": "mallory"}}'
    return session_id, user.ask(session_id, call)


def test_twenty_parallel_turns_of_five_users_complete_and_stay_separate(new_user: NewUser) -> None:
    users = [new_user() for _ in range(USERS)]
    jobs = [(user, number) for number in range(TURNS_EACH) for user in users]
    with ThreadPoolExecutor(len(jobs)) as pool:
        results = list(pool.map(lambda pair: (pair[0], *_write_note(*pair)), jobs))
    assert [response["status"] for _, _, response in results] == ["complete"] * len(jobs)
    for user, _, response in results:
        assert response["tool_calls"][0]["results"] == user.name
    for user in users:
        listed = user.request("GET", "/api/files").json()["files"]
        assert sorted(file["name"] for file in listed) == [f"note{number}.txt" for number in range(TURNS_EACH)]
        others = [(sid, response) for owner, sid, response in results if owner is not user]
        _assert_not_found(user, others)
    for user, session_id, response in results:
        assert user.request("GET", f"/api/sessions/{session_id}").json()["status"] == "active"
        assert user.request("GET", f"/api/files/{response['artifacts'][0]['file_key']}").is_success


def _assert_not_found(user: UserClient, others: list[tuple[str, Json]]) -> None:
    """Check that requests return 404, not 403, which would reveal that the item exists."""
    for session_id, response in others[:3]:
        turn_id, key = response["turn_id"], response["artifacts"][0]["file_key"]
        for method, path in [
            ("GET", f"/api/sessions/{session_id}"),
            ("GET", f"/api/sessions/{session_id}/turns/{turn_id}"),
            ("GET", f"/api/sessions/{session_id}/turns/{turn_id}/events"),
            ("DELETE", f"/api/sessions/{session_id}/turns/{turn_id}"),
            ("GET", f"/api/files/{key}"),
            ("GET", f"/api/files?session_id={session_id}"),
            ("GET", f"/api/files/download/{key}"),
        ]:
            assert user.request(method, path).status_code == httpx2.codes.NOT_FOUND, (method, path)
        for path in (f"/api/sessions/{session_id}", f"/api/files/{key}"):
            assert user.request("DELETE", path).status_code == httpx2.codes.NO_CONTENT, path  # as for a missing item
        message = {"message": "hello", "files": [key]}
        own_session_id = user.create_session()
        assert (
            user.request("POST", f"/api/sessions/{own_session_id}/turns", json=message).status_code
            == httpx2.codes.NOT_FOUND
        )


@pytest.mark.clause("v2.1:storage:apart")
def test_tool_cannot_read_a_file_of_another_user(new_user: NewUser) -> None:
    owner, other = new_user(), new_user()
    record = owner.upload(owner.create_session(), "diary.txt", b"secret")
    session_id = other.create_session()
    for name in ("diary.txt", record["file_key"]):
        response = other.ask(session_id, f'/trial.read {{"filename": "{name}"}}')
        call = response["tool_calls"][0]
        assert call["results"] == {"missing": name}
        assert call["meta_data"]["unresolved_files"] == {name: []}


@pytest.mark.clause("v4:registry:groups")
def test_server_of_another_group_is_neither_listed_nor_callable(new_user: NewUser) -> None:
    user, staff = new_user(), new_user("users,staff")
    assert "closed" not in [s["name"] for s in user.request("GET", "/api/tools").json()["servers"]]
    assert "closed" in [s["name"] for s in staff.request("GET", "/api/tools").json()["servers"]]
    denied = user.ask(user.create_session(), '/closed.wait {"seconds": 0}')["tool_calls"][0]
    allowed = staff.ask(staff.create_session(), '/closed.wait {"seconds": 0}')["tool_calls"][0]
    assert (denied["error_code"], allowed["error_code"]) == ("E_FORBIDDEN", None)
