"""Core behavior of a deployment: tool calls, timeouts, large files, expiry and isolation of users."""

import hashlib
import json
import os
import time
from collections.abc import Iterator

import httpx2
import pytest

from tests.e2e.user_client import Json
from tests.hashes import base64_sha256
from tests.live.conftest import LiveUser

LARGE = 100 << 20
NOT_FOUND, UNAUTHORIZED = httpx2.codes.NOT_FOUND, {httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN}
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def session_id(user: LiveUser) -> Iterator[str]:
    session = user.create_session()
    yield session
    user.request("DELETE", f"/api/sessions/{session}")


def message_for(user: LiveUser, tool: str, **arguments: object) -> str:
    """Return a message that calls a tool: a sentence, or a command for the offline model."""
    if user.request("GET", "/api/config").json()["model"] == "offline":
        return f"/{tool} {json.dumps(arguments)}"
    return f"Call the tool {tool} once, with exactly these arguments: {json.dumps(arguments)}"


def find_tool(user: LiveUser, *tools: str) -> str:
    """Return the first of these tools that is deployed, or skip the test."""
    servers = user.request("GET", "/api/tools").json()["servers"]
    deployed = {f"{server['name']}.{tool['name']}" for server in servers for tool in server["tools"]}
    matches = [tool for tool in tools if tool in deployed]
    if not matches:
        pytest.skip(f"no tool {' or '.join(tools)}: deploy the servers of tests/live/live_servers")
    return matches[0]


def fetch(url: str, link: str) -> httpx2.Response:
    """Download a link as a browser without a session does."""
    return httpx2.get(link if link.startswith("http") else f"{url}{link}", follow_redirects=True, timeout=300)


def upload_in_parts(user: LiveUser, session_id: str, name: str, body: bytes) -> Json:
    fields = {"name": name, "size": len(body), "session_id": session_id}
    upload = user.request("POST", "/api/files/uploads", json=fields).json()
    size = upload["part_bytes"]
    path = f"/api/files/uploads/{upload['upload_id']}"
    for number, start in enumerate(range(0, len(body), size), start=1):
        part = body[start : start + size]
        signed = user.request(
            "POST", f"{path}/parts", json={"parts": [{"number": number, "sha256": base64_sha256(part)}]}
        )
        target = signed.json()["parts"][0]
        assert httpx2.put(target["url"], content=part, headers=target["headers"], timeout=300).is_success
    response = user.request("POST", f"{path}/complete")
    assert response.is_success, response.text
    record: Json = response.json()
    return record


def test_tool_returns_a_report_and_a_chart_of_an_uploaded_file(user: LiveUser, session_id: str) -> None:
    tool = find_tool(user, "report.summarise", "live.report")
    user.upload(session_id, "sales.csv", b"region,amount\nnorth,1\nsouth,2\n")
    response = user.ask(session_id, message_for(user, tool, filename="sales.csv"))
    assert response["status"] == "complete", response
    assert {artifact["mime"] for artifact in response["artifacts"]} >= {"text/html", "image/png"}
    for artifact in response["artifacts"]:
        assert len(fetch(user.url, artifact["download_url"]).content) == artifact["size"]


def test_silent_tool_times_out(user: LiveUser, session_id: str) -> None:
    tool = find_tool(user, "live.wait")
    response = user.ask(session_id, message_for(user, tool, seconds=120))
    assert "E_TIMEOUT" in [call["error_code"] for call in response["tool_calls"]]


def test_file_of_100_mb_is_downloaded_unchanged_and_gone_after_deletion(user: LiveUser, session_id: str) -> None:
    body = os.urandom(1 << 20) * (LARGE >> 20)
    record = upload_in_parts(user, session_id, "large.bin", body)
    downloaded = fetch(user.url, record["download_url"])
    assert hashlib.sha256(downloaded.content).digest() == hashlib.sha256(body).digest()
    assert user.request("DELETE", f"/api/files/{record['file_key']}").is_success
    assert fetch(user.url, record["download_url"]).status_code == NOT_FOUND


def test_link_returns_404_after_its_expiry(user: LiveUser, session_id: str) -> None:
    record = user.upload(session_id, "shared.txt", b"shared")
    ttl = 4
    while True:
        ttl *= 2
        start = time.monotonic()
        link = user.request("POST", f"/api/files/{record['file_key']}/link", json={"ttl_seconds": ttl}).json()["url"]
        first = fetch(user.url, link)
        if time.monotonic() < start + ttl:
            break  # the link was fetched in time, so it must have worked
    assert first.content == b"shared"
    time.sleep(ttl + 1)
    assert fetch(user.url, link).status_code == NOT_FOUND


def test_other_user_cannot_see_or_delete_files_sessions_and_turns(
    user: LiveUser, stranger: LiveUser, session_id: str
) -> None:
    record = user.upload(session_id, "mine.txt", b"mine")
    turn = user.start_turn(session_id, "Hello")["turn_id"]
    session = f"/api/sessions/{session_id}"
    for path in (
        f"/api/files/{record['file_key']}",
        session,
        f"{session}/turns/{turn}",
        f"{session}/turns/{turn}/events",
    ):
        assert stranger.request("GET", path).status_code == NOT_FOUND
    stranger.request("DELETE", f"/api/files/{record['file_key']}")
    assert user.request("GET", f"/api/files/{record['file_key']}").is_success
    assert "mine.txt" not in stranger.request("GET", "/api/files").text
    forged = record["download_url"][:-4] + "AAAA"
    assert fetch(user.url, forged).status_code == NOT_FOUND
    user.wait_for_turn(session_id, turn)


def test_api_requires_a_token_except_for_the_health_check(user: LiveUser) -> None:
    if user.token is None:
        pytest.skip("a local system accepts any user name")
    assert httpx2.get(f"{user.url}/api/sessions", timeout=60).status_code in UNAUTHORIZED
    assert httpx2.get(f"{user.url}/api/health", timeout=60).is_success
