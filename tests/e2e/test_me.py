"""Everything of a person goes, in the background, while others stay."""

import time

from tests.e2e.conftest import Somebody
from tests.e2e.person import Person
from tests.e2e.system import System

PATIENCE = 30


def erased(person: Person) -> dict[str, int]:
    """Ask twice, wait for the end, and return what went."""
    asked = person.call("DELETE", "/api/me").json()
    begun = person.call("DELETE", "/api/me", headers={"X-Satchel-Confirm": asked["confirm_token"]})
    assert begun.status_code == 202, begun.text
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        erasure = person.call("GET", "/api/me").json()["erasure"]
        if erasure["finished_at"]:
            counts: dict[str, int] = erasure["erased"]
            return counts
        time.sleep(0.1)
    raise AssertionError(f"not finished: {erasure}")


def test_everything_of_a_person_goes_and_its_links_with_it(system: System, somebody: Somebody) -> None:
    person, neighbour = somebody(), somebody()
    theirs = neighbour.upload(None, "theirs.csv", b"a\n1\n")
    session_id = person.session()
    file = person.upload(session_id, "mine.csv", b"a\n1\n")
    link = person.call("POST", f"/api/files/{file['file_key']}/link").json()
    assert person.call("GET", link["url"]).content == b"a\n1\n"
    turn = person.ask(session_id, '/calculator.evaluate {"expression": "1+1"}')
    events = len(person.events(session_id, turn["turn_id"]))

    counts = erased(person)

    assert counts == {"files": 1, "versions": 1, "sessions": 1, "turns": 1, "events": events, "links": 1}
    assert person.call("GET", "/api/sessions").json()["sessions"] == []
    assert person.call("GET", "/api/files").json()["files"] == []
    assert person.call("GET", link["url"]).status_code == 404
    assert neighbour.call("GET", theirs["download_url"]).content == b"a\n1\n"
    # What every download writes into the log of a deployment is written here, too, where it is searched for tokens.
    assert '"message":"audit"' in system.said()
