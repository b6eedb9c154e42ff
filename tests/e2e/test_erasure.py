"""Erasure of all data of a user, in the background."""

import time

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import UserClient

TIMEOUT_SECONDS = 30


def erase(user: UserClient) -> dict[str, int]:
    """Request and confirm the erasure, wait for its end, and return the number of deleted items of each type."""
    confirmation = user.request("DELETE", "/api/me").json()
    response = user.request("DELETE", "/api/me", headers={"X-Satchel-Confirm": confirmation["confirm_token"]})
    assert response.status_code == 202, response.text
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        erasure = user.request("GET", "/api/me").json()["erasure"]
        if erasure["finished_at"]:
            counts: dict[str, int] = erasure["erased"]
            return counts
        time.sleep(0.1)
    raise AssertionError(f"not finished: {erasure}")


def test_erasure_deletes_all_data_and_links_of_the_user_and_of_no_other(
    system: SystemProcess, new_user: NewUser
) -> None:
    user, other = new_user(), new_user()
    other_file = other.upload(None, "theirs.csv", b"a\n1\n")
    session_id = user.create_session()
    file = user.upload(session_id, "mine.csv", b"a\n1\n")
    link = user.request("POST", f"/api/files/{file['file_key']}/link").json()
    assert user.request("GET", link["url"]).content == b"a\n1\n"
    turn = user.ask(session_id, '/calculator.evaluate {"expression": "1+1"}')
    events = len(user.events(session_id, turn["turn_id"]))

    counts = erase(user)

    assert counts == {"files": 1, "versions": 1, "sessions": 1, "turns": 1, "events": events, "links": 1}
    assert user.request("GET", "/api/sessions").json()["sessions"] == []
    assert user.request("GET", "/api/files").json()["files"] == []
    assert user.request("GET", link["url"]).status_code == 404
    assert other.request("GET", other_file["download_url"]).content == b"a\n1\n"
    # Downloads write audit lines as in a deployment; the check for tokens at the end of the system covers them.
    assert '"message":"audit"' in system.output()
