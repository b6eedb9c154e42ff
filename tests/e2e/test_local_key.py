"""The key of the local API: without it, neither a hostile tool nor another account of the machine can do anything."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import ROOT, SystemProcess
from tests.e2e.test_approval import WaitingTurn
from tests.e2e.user_client import LOCAL_KEY, UserClient, fetch
from tests.processes import read_environ
from tests.tokens import runner_logs

INTRUSION = (ROOT / "tests/mcp_servers/intrusion.py").read_text(encoding="utf-8")
# The other account may not be able to read the interpreter's library, so the imports come first.
BECOME_NOBODY = """
import encodings.ascii, encodings.idna, encodings.latin_1, http.client, json, os, pathlib, subprocess, typing
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
"""
OPEN = {
    "GET /": 200,  # the page, which is the same for everyone
    "GET /config.json": 200,  # how the page signs in, without the key
    "GET /api/health": 200,  # whether the server runs
    "GET /api/openapi.json": 200,  # the description of the API, without data
    "GET /api/by-token/api/health": 200,  # the same, at the address for personal tokens
    "GET /.well-known/jwks.json": 200,  # public keys, for the hosts of dashboards
    "GET /api/files/download/{file_key}": 404,  # the token of the link is checked instead
    "HEAD /api/files/download/{file_key}": 404,
    "GET /api/shared-chat": 422,  # the secret of the link is checked instead
}
"""The requests that need no key, with the status that they have without any credentials, and why."""

Request = tuple[str, str, dict[str, str]]
Outcome = dict[str, Any]
Intruder = Callable[[list[Request], list[str]], Outcome]


def intrude_as_tool(user: UserClient) -> Intruder:
    session_id = user.create_session()

    def intrude(requests: list[Request], paths: list[str]) -> Outcome:
        message = f"/intruder.intrude {json.dumps({'attempts': {'requests': requests, 'paths': paths}})}"
        (call,) = user.ask(session_id, message)["tool_calls"]
        results: Outcome = call["results"]
        assert not call["is_error"], results
        return results

    return intrude


def intrude_as_other_account(requests: list[Request], paths: list[str]) -> Outcome:
    arguments = json.dumps({"requests": requests, "paths": paths})
    result = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-c", BECOME_NOBODY + INTRUSION, arguments],
        cwd="/",
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        check=True,
    )
    outcome: Outcome = json.loads(result.stdout)
    return outcome


@pytest.fixture(params=["tool", "other account"])
def intruder(request: pytest.FixtureRequest, new_user: NewUser) -> Intruder:
    """A hostile tool with network access, and a program of another account."""
    if request.param == "tool":
        return intrude_as_tool(new_user())
    if os.geteuid() != 0:
        pytest.skip("only root can start a program as another account")
    return intrude_as_other_account


def api_requests(system: SystemProcess, user: UserClient, turn: WaitingTurn) -> list[tuple[str, str]]:
    """Return every operation of the API as ``(label, url)``, with the ids of another user's data."""
    file_key = user.upload(turn.session_id, "secret.txt", b"secret")["file_key"]
    ids = {
        "session_id": turn.session_id,
        "turn_id": turn.turn_id,
        "call_id": turn.request["call_id"],
        "file_key": file_key,
        "upload_id": file_key,
        "link_id": "l1",
        "chat_link_id": "l2",
        "canvas_id": "c1",
        "app_key": "a1",
        "app_turn_id": "x1",
        "token_id": "p1",
    }
    response = fetch(f"{system.url}/api/openapi.json")
    assert response.is_success, response.text
    document = response.json()
    operations = [
        (f"{method.upper()} {path}", f"{system.url}{path.format_map(ids)}")
        for path, methods in document["paths"].items()
        for method in methods
    ]
    assert len(operations) >= 40
    others = ["GET /", "GET /config.json", "GET /api/openapi.json", "GET /api", "GET /api/none", "POST /api/health"]
    others += ["GET /api/by-token/api/me", "GET /api/by-token/api/health"]
    others += ["POST /api/files/download/keep", "POST /api/files/download/link"]
    return operations + [(label, f"{system.url}{label.partition(' ')[2]}") for label in others]


def test_every_route_needs_the_key_except_the_listed_ones(
    system: SystemProcess, new_user: NewUser, intruder: Intruder
) -> None:
    alice = new_user()
    turn = WaitingTurn(alice, '/intruder.transfer {"amount": 1000000}')
    operations = api_requests(system, alice, turn)
    identity = {"X-Satchel-User": alice.name, "X-Satchel-Groups": "users,staff"}
    guesses = [identity, {**identity, "Authorization": "Bearer guessed-key-of-the-local-api"}]
    requests = [(label.split()[0], url, headers) for headers in guesses for label, url in operations]
    with_key = ("GET", f"{system.url}/api/me", {**identity, "Authorization": f"Bearer {LOCAL_KEY}"})

    *statuses, with_key_status = intruder([*requests, with_key], [])["statuses"]

    labels = [label for _ in guesses for label, _ in operations]
    reached = {(label, status) for label, status in zip(labels, statuses, strict=True) if status != 401}
    assert reached == set(OPEN.items())
    assert with_key_status == 200  # the intruder reaches the API: only the key is missing
    # Nothing happened: the call still waits, and the file still exists.
    assert turn.decide(approved=False) == 200
    assert turn.response()["tool_calls"][0]["error_code"] == "E_FORBIDDEN"
    assert [file["name"] for file in alice.request("GET", "/api/files").json()["files"]] == ["secret.txt"]


def test_tool_cannot_approve_a_waiting_call_of_its_own_user(system: SystemProcess, new_user: NewUser) -> None:
    alice = new_user()
    turn = WaitingTurn(alice, '/intruder.transfer {"amount": 1000000}')
    path = f"{turn.path}/calls/{turn.request['call_id']}/approval"
    headers = {"X-Satchel-User": alice.name, "Content-Type": "application/json"}
    request: Any = (
        "POST",
        f"{system.url}{path}",
        headers,
        json.dumps({"approved": True, "digest": turn.shown["digest"]}),
    )

    assert intrude_as_tool(alice)([request], [])["statuses"] == [401]
    assert turn.decide(approved=True) == 200  # the same decision by its owner
    assert turn.response()["tool_calls"][0]["results"] == {"transferred": 1000000}


def test_websocket_needs_a_ticket(system: SystemProcess, intruder: Intruder) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    upgrade |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "X-Satchel-User": "alice@example.com"}
    urls = [f"{system.url}/ws", f"{system.url}/ws?ticket=guessed", f"{system.url}/other"]

    assert intruder([("GET", url, upgrade) for url in urls], [])["statuses"] == [403, 403, 403]


def test_store_refuses_requests_without_a_signature(system: SystemProcess, intruder: Intruder) -> None:
    policy = fetch(f"{system.url}/").headers["content-security-policy"]
    match = re.search(r"img-src [^;]*(http://127\.0\.0\.1:\d+)", policy)
    assert match
    paths = ["/", "/satchel-files", "/satchel-files/x", "/moto-api/data.json"]
    requests: list[Request] = [(method, match[1] + path, {}) for path in paths for method in ("GET", "PUT", "POST")]

    assert set(intruder(requests, [])["statuses"]) == {403}


def test_key_file_and_memory_of_the_server_cannot_be_read(
    system: SystemProcess, new_user: NewUser, intruder: Intruder
) -> None:
    if new_user().isolation_level() != "kernel":
        pytest.skip("at level process, tools can read what their operating system user can read")
    key_file = system.temp_dir / f"state/satchel/local-key-{urlsplit(system.url).port}"
    assert key_file.read_text() == f"{LOCAL_KEY}\n"
    process = f"/proc/{system.process.pid}"
    paths = [str(key_file), str(key_file.parent), *(f"{process}/{name}" for name in ("environ", "maps", "fd"))]

    read = intruder([], [*paths, f"{process}/cmdline", "/proc/self/cmdline"])["read"]

    assert LOCAL_KEY not in read.pop(f"{process}/cmdline")
    assert read.pop("/proc/self/cmdline")  # the intruder can read what it may read
    assert read == dict.fromkeys(paths, "")


def test_key_reaches_no_process_and_no_log(system: SystemProcess, new_user: NewUser) -> None:
    intrude_as_tool(new_user())([], [])  # so that a runner and a server exist
    children = psutil.Process(system.process.pid).children(recursive=True)
    environs = [read_environ(child) or {} for child in children]

    assert len(environs) >= 3
    assert [environ for environ in environs if LOCAL_KEY in environ.values()] == []
    assert not any(LOCAL_KEY in log.read_text(errors="replace") for log in runner_logs(system.temp_dir))
    assert [line for line in system.output().splitlines() if LOCAL_KEY in line] == [
        f"Open {system.url}/#key={LOCAL_KEY}"
    ]


def test_config_of_the_page_does_not_contain_the_key(system: SystemProcess) -> None:
    config = fetch(f"{system.url}/config.json").json()
    assert config == {"auth": "local", "apps": config["apps"]}
    assert urlsplit(config["apps"]).hostname == "127.0.0.1"
    assert all(LOCAL_KEY not in file.read_text(errors="replace") for file in Path(ROOT / "web/dist").glob("*.*"))
