"""What must hold wherever it runs: the main job, a time-out, a large file, an end, and nobody else's files."""

import base64
import hashlib
import json
import os
import time
from collections.abc import Iterator

import httpx2
import pytest

from tests.e2e.person import Json
from tests.live.conftest import LivePerson

LARGE = 100 << 20
ABSENT, REFUSED = httpx2.codes.NOT_FOUND, {httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN}
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def session_id(person: LivePerson) -> Iterator[str]:
    session = person.session()
    yield session
    person.call("DELETE", f"/api/sessions/{session}")


def order(person: LivePerson, tool: str, **arguments: object) -> str:
    """Return the message that has a tool called: in words, unless there is no model that reads them."""
    if person.call("GET", "/api/config").json()["model"] == "offline":
        return f"/{tool} {json.dumps(arguments)}"
    return f"Call the tool {tool} once, with exactly these arguments: {json.dumps(arguments)}"


def offered(person: LivePerson, *tools: str) -> str:
    """Return the first of these tools that there is."""
    servers = person.call("GET", "/api/tools").json()["servers"]
    known = {f"{server['name']}.{tool['name']}" for server in servers for tool in server["tools"]}
    found = [tool for tool in tools if tool in known]
    if not found:
        pytest.skip(f"none of {', '.join(tools)} is offered: deploy the servers of tests/live/servers")
    return found[0]


def fetch(url: str, link: str) -> httpx2.Response:
    """Follow a link as a browser does that is not signed in."""
    return httpx2.get(link if link.startswith("http") else f"{url}{link}", follow_redirects=True, timeout=300)


def upload_in_parts(person: LivePerson, session_id: str, name: str, body: bytes) -> Json:
    wanted = {"name": name, "size": len(body), "session_id": session_id}
    begun = person.call("POST", "/api/files/uploads", json=wanted).json()
    size = begun["part_bytes"]
    address = f"/api/files/uploads/{begun['upload_id']}"
    for number, start in enumerate(range(0, len(body), size), start=1):
        part = body[start : start + size]
        digest = base64.b64encode(hashlib.sha256(part).digest()).decode()
        signed = person.call("POST", f"{address}/parts", json={"parts": [{"number": number, "sha256": digest}]})
        given = signed.json()["parts"][0]
        assert httpx2.put(given["url"], content=part, headers=given["headers"], timeout=300).is_success
    done = person.call("POST", f"{address}/complete")
    assert done.is_success, done.text
    record: Json = done.json()
    return record


def test_a_file_goes_in_and_a_report_comes_out(person: LivePerson, session_id: str) -> None:
    tool = offered(person, "report.summarise", "live.report")
    person.upload(session_id, "sales.csv", b"region,amount\nnorth,1\nsouth,2\n")
    response = person.ask(session_id, order(person, tool, filename="sales.csv"))
    assert response["status"] == "complete", response
    assert {artifact["mime"] for artifact in response["artifacts"]} >= {"text/html", "image/png"}
    for artifact in response["artifacts"]:
        assert len(fetch(person.url, artifact["download_url"]).content) == artifact["size"]


def test_a_tool_that_says_nothing_is_ended(person: LivePerson, session_id: str) -> None:
    tool = offered(person, "live.wait")
    response = person.ask(session_id, order(person, tool, seconds=120))
    assert "E_TIMEOUT" in [call["error_code"] for call in response["tool_calls"]]


def test_a_file_of_100_mb_goes_in_and_comes_out_as_it_was(person: LivePerson, session_id: str) -> None:
    body = os.urandom(1 << 20) * (LARGE >> 20)
    record = upload_in_parts(person, session_id, "large.bin", body)
    fetched = fetch(person.url, record["download_url"])
    assert hashlib.sha256(fetched.content).digest() == hashlib.sha256(body).digest()
    assert person.call("DELETE", f"/api/files/{record['file_key']}").is_success
    assert fetch(person.url, record["download_url"]).status_code == ABSENT


def test_a_link_ends_at_its_time(person: LivePerson, session_id: str) -> None:
    record = person.upload(session_id, "shared.txt", b"shared")
    link = person.call("POST", f"/api/files/{record['file_key']}/link", json={"ttl_seconds": 2}).json()["url"]
    assert fetch(person.url, link).content == b"shared"
    time.sleep(3)
    assert fetch(person.url, link).status_code == ABSENT


def test_nobody_else_sees_a_file_a_session_or_a_turn(person: LivePerson, stranger: LivePerson, session_id: str) -> None:
    record = person.upload(session_id, "mine.txt", b"mine")
    turn = person.start(session_id, "Hello")["turn_id"]
    session = f"/api/sessions/{session_id}"
    for path in (
        f"/api/files/{record['file_key']}",
        session,
        f"{session}/turns/{turn}",
        f"{session}/turns/{turn}/events",
    ):
        assert stranger.call("GET", path).status_code == ABSENT
    assert stranger.call("DELETE", f"/api/files/{record['file_key']}").status_code == ABSENT
    assert "mine.txt" not in stranger.call("GET", "/api/files").text
    forged = record["download_url"][:-4] + "AAAA"
    assert fetch(person.url, forged).status_code == ABSENT
    person.wait_for(session_id, turn)


def test_without_signing_in_there_is_nothing(person: LivePerson) -> None:
    if person.token is None:
        pytest.skip("a local run believes who one says to be")
    assert httpx2.get(f"{person.url}/api/sessions", timeout=60).status_code in REFUSED
    assert httpx2.get(f"{person.url}/api/health", timeout=60).is_success
