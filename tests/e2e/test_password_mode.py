"""A running server with accounts: what reaches it without a session, files of any size, and the commands."""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.e2e.conftest import PASSWORD_CONFIG
from tests.e2e.password_system import PasswordSystem, running_password_system
from tests.e2e.system_process import ROOT, environment
from tests.e2e.test_approval import WaitingTurn
from tests.e2e.test_local_key import OPEN, api_requests, intrude_as_tool
from tests.e2e.user_client import LOCAL_KEY, SESSION_COOKIE, UserClient
from tests.fakes.accounts import CLIENT, PASSWORD

LARGE_BYTES = 9 << 20  # two parts, and too large for a response of the API
TIMEOUT_SECONDS = 60.0


def run(command: str, settings: dict[str, str], text: str = "", **options: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of satchel with this text on its standard input."""
    arguments = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    return subprocess.run(  # noqa: S603  (our own command)
        [sys.executable, "-m", "local.cli.main", *command.split(), *arguments],
        cwd=ROOT,
        env={name: value for name, value in environment(settings).items() if name != "SATCHEL_LOCAL_KEY"},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def receive_until_closed(connection: ClientConnection) -> list[str]:
    messages = []
    with suppress(ConnectionClosed):
        while True:
            messages.append(str(connection.recv(TIMEOUT_SECONDS)))
    return messages


def test_hostile_tool_gets_401_on_every_route_and_reads_no_account(password_system: PasswordSystem) -> None:
    alice = password_system.new_user()
    turn = WaitingTurn(alice, '/intruder.transfer {"amount": 1000000}')
    operations = api_requests(password_system.system, alice, turn)
    identity = {"X-Satchel-User": alice.name, "X-Satchel-Groups": "users,staff", **CLIENT}
    guesses = [
        identity,
        {**identity, "Authorization": f"Bearer {LOCAL_KEY}"},  # the variable is set, but there is no key in this mode
        {**identity, "Cookie": f"{SESSION_COOKIE}={'x' * 43}"},
    ]
    requests = [(label.split()[0], url, headers) for headers in guesses for label, url in operations]
    signed_in = ("GET", f"{password_system.url}/api/me", alice.headers)
    names = [f"accounts.sqlite{suffix}" for suffix in ("", "-wal", "-shm")]
    paths = [str(password_system.folder), *(str(password_system.folder / name) for name in names)]

    outcome = intrude_as_tool(password_system.new_user())([*requests, signed_in], paths)

    *statuses, signed_in_status = outcome["statuses"]
    labels = [label for _ in guesses for label, _ in operations]
    reached = {(label, status) for label, status in zip(labels, statuses, strict=True) if status != 401}
    assert reached == set(OPEN.items())
    assert signed_in_status == 200  # the tool reaches the API: only the session is missing
    if alice.isolation_level() == "kernel":
        assert outcome["read"] == dict.fromkeys(paths, "")
    assert turn.decide(approved=False) == 200
    assert [file["name"] for file in alice.request("GET", "/api/files").json()["files"]] == ["secret.txt"]


def test_tool_cannot_guess_a_password_for_long(password_system: PasswordSystem) -> None:
    """A tool connects from the loopback address, and can claim any other one as a reverse proxy does."""
    owner, tool = password_system.new_user(), password_system.new_user()
    body = json.dumps({"user": owner.name, "password": "guess"})
    headers = {"Content-Type": "application/json", **CLIENT}
    url = f"{password_system.url}/auth/sign-in"
    requests = [("POST", url, {**headers, "X-Forwarded-For": f"10.0.0.{number}"}, body) for number in range(12)]

    statuses = intrude_as_tool(tool)(requests, [])["statuses"]  # type: ignore[arg-type]  # with bodies

    assert statuses[:6] == [401] * 6
    assert 429 in statuses[6:]
    assert owner.request("GET", "/api/me").status_code == 200


def test_large_file_is_uploaded_and_downloaded_through_the_servers_own_address(
    password_system: PasswordSystem, tmp_path: Path
) -> None:
    """The store of the emulated AWS is on another port, which other machines cannot reach."""
    user = password_system.new_user()
    content = os.urandom(LARGE_BYTES)
    (tmp_path / "large.bin").write_bytes(content)
    token = {"SATCHEL_TOKEN": user.session or "", "XDG_STATE_HOME": str(tmp_path)}

    uploaded = run(f"upload {tmp_path / 'large.bin'}", token, url=password_system.url)
    assert uploaded.returncode == 0, uploaded.stderr
    (file,) = user.request("GET", "/api/files").json()["files"]
    first = user.request("GET", file["download_url"])
    assert first.status_code == 307
    assert first.headers["location"].startswith("/store/")
    response = httpx2.get(password_system.url + first.headers["location"], timeout=60)  # without a session, like S3

    assert response.content == content
    assert response.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert response.headers["x-content-type-options"] == "nosniff"
    part = user.request("GET", first.headers["location"], headers={"Range": "bytes=5-9"})
    assert (part.status_code, part.content) == (206, content[5:10])


def test_store_refuses_what_was_not_signed(password_system: PasswordSystem) -> None:
    user = password_system.new_user()
    begun = user.request("POST", "/api/files/uploads", json={"name": "a.bin", "size": 9}).json()
    parts = {"parts": [{"number": 1, "sha256": "A" * 43 + "="}]}
    signed = user.request("POST", f"/api/files/uploads/{begun['upload_id']}/parts", json=parts).json()["parts"][0]
    assert signed["url"].startswith(f"{password_system.url}/store/satchel-files/")
    path = urlsplit(signed["url"]).path

    attempts = [
        ("GET", "/store/satchel-files", 403),
        ("GET", "/store/moto-api/data.json", 403),
        ("PUT", path, 403),
        ("GET", signed["url"].removeprefix(password_system.url), 403),
        ("POST", path, 405),
        ("DELETE", path, 405),
    ]
    assert [(method, path, user.request(method, path).status_code) for method, path, _ in attempts] == attempts


def test_downloads_cannot_be_loaded_as_code(password_system: PasswordSystem) -> None:
    user = password_system.new_user()
    for use in ("script", "style", "worker"):
        response = user.request("GET", "/store/satchel-files/x", headers={"Sec-Fetch-Dest": use})
        assert response.status_code == 403


def test_connection_of_a_session_that_ends_gets_no_further_event(password_system: PasswordSystem) -> None:
    user = password_system.new_user()
    session_id = user.create_session()
    ticket = user.request("POST", "/api/ws-ticket").json()
    url = f"{ticket['url']}?ticket={ticket['ticket']}"
    with pytest.raises(InvalidStatus), closing(connect(url, origin=Origin(user.url), open_timeout=60)):
        pytest.fail("a ticket without a session was accepted")
    with connect(url, origin=Origin(user.url), additional_headers=user.headers, open_timeout=60) as connection:
        turn_id = user.start_turn(session_id, '/trial.wait {"seconds": 25}')["turn_id"]
        connection.send(f'{{"action": "subscribe", "session_id": "{session_id}", "turn_id": "{turn_id}"}}')
        assert turn_id in str(connection.recv(TIMEOUT_SECONDS))
        with password_system.accounts() as accounts:
            accounts.set_password(user.name, "another password")
        received = receive_until_closed(connection)
        assert connection.close_code == 1008
    assert not [message for message in received if "response_complete" in message]
    assert user.request("GET", "/api/me").status_code == 401


class TestCommands:
    def test_user_signs_in_works_and_signs_out(self, password_system: PasswordSystem, tmp_path: Path) -> None:
        settings = {"SATCHEL_DATA": str(password_system.folder), "XDG_STATE_HOME": str(tmp_path)}
        name = f"cli{time.monotonic_ns()}@example.com"
        stdin = {"text": f"{PASSWORD}\n"}
        added = run(f"user add {name.upper()} --password-stdin --group staff", settings, **stdin)
        assert (added.returncode, added.stdout) == (0, f"created {name} in the groups staff, users\n")
        url = password_system.url
        assert "You are not signed in" in run("tools", settings, url=url).stderr

        signed_in = run(f"sign-in --user {name} --password-stdin", settings, **stdin, url=url)
        assert (signed_in.returncode, signed_in.stdout) == (0, f"signed in at {url} as {name}\n")
        (file,) = (tmp_path / "satchel").iterdir()
        assert file.stat().st_mode & 0o777 == 0o600
        assert "closed" in run("tools", settings, url=url).stdout  # only for the group staff

        assert run("sign-out", settings, url=url).returncode == 0
        assert not file.exists()
        assert run("tools", settings, url=url).returncode == 2

    def test_wrong_password_is_one_line(self, password_system: PasswordSystem, tmp_path: Path) -> None:
        settings = {"XDG_STATE_HOME": str(tmp_path)}
        failed = run("sign-in --user none --password-stdin", settings, text="wrong\n", url=password_system.url)

        assert (failed.returncode, failed.stdout) == (2, "")
        assert failed.stderr == "satchel: The name or the password is wrong. (E_SIGN_IN_FAILED)\n"

    def test_sign_in_at_a_server_without_passwords_is_refused(self, new_user: object, tmp_path: Path) -> None:
        user = new_user()  # type: ignore[operator]
        failed = run("sign-in --user ada --password-stdin", {"XDG_STATE_HOME": str(tmp_path)}, text="x\n", url=user.url)

        assert failed.returncode == 2
        assert not (tmp_path / "satchel").exists()


def test_session_and_its_chats_are_there_after_a_restart(tmp_path: Path) -> None:
    with running_password_system(tmp_path, PASSWORD_CONFIG.with_name("trial.json")) as shared:
        user = shared.new_user()
        session_id = user.create_session()
        output = shared.system.output()
    with running_password_system(tmp_path, PASSWORD_CONFIG.with_name("trial.json")) as shared:
        again = UserClient(shared.url, user.name, session=user.session)
        assert [each["session_id"] for each in again.request("GET", "/api/sessions").json()["sessions"]] == [session_id]
        assert "Users sign in with a password (1 account)" in shared.system.output()
    assert "There are no accounts yet: satchel user add NAME creates one." in output
    assert not re.search(r"#key=|Bearer", output)


def test_server_behind_a_reverse_proxy_is_reached_by_its_public_address_only(tmp_path: Path) -> None:
    public = "https://satchel.example"
    settings = {"SATCHEL_PUBLIC_URL": public, "SATCHEL_HOST": "0.0.0.0"}  # noqa: S104  (for the duration of the test)
    with running_password_system(tmp_path, PASSWORD_CONFIG.with_name("trial.json"), settings) as shared:
        port = urlsplit(shared.url).port
        url = f"http://127.0.0.1:{port}"
        with shared.accounts() as accounts:
            accounts.add("ada", PASSWORD)
        with httpx2.Client(
            base_url=url, headers={"Host": "satchel.example", "Origin": public, **CLIENT}, timeout=60
        ) as http:
            response = http.post("/auth/sign-in", json={"user": "ada", "password": PASSWORD})
            cookie = response.headers["set-cookie"]
            http.headers["Cookie"] = cookie.partition(";")[0]
            ticket = http.post("/api/ws-ticket").json()
            begun = http.post(
                "/api/files/uploads", json={"name": "a.bin", "size": 9, "sha256": ["A" * 43 + "="]}
            ).json()
            foreign = [
                http.post("/api/ws-ticket", headers=headers).status_code
                for headers in (
                    {"Host": "evil.example"},
                    {"Host": f"192.168.1.5:{port}"},
                    {"Origin": "http://satchel.example"},
                    {"Origin": "https://satchel.example:8443"},
                    {"Origin": "https://evil.satchel.example"},
                )
            ]
            policy = http.get("/").headers["content-security-policy"]

        assert cookie.startswith("__Host-")
        assert "Secure" in cookie
        assert ticket["url"] == "wss://satchel.example/ws"
        assert begun["parts"][0]["url"].startswith(f"{public}/store/")
        assert foreign == [403] * 5
        assert "wss://satchel.example" in policy
        assert "127.0.0.1" not in policy
        websocket = f"ws://127.0.0.1:{port}/ws?ticket={ticket['ticket']}"
        headers = {"Cookie": cookie.partition(";")[0]}
        with connect(websocket, origin=Origin(public), additional_headers=headers, open_timeout=60) as connection:
            connection.send('{"action": "ping"}')
            assert "pong" in str(connection.recv(TIMEOUT_SECONDS))
        assert f"Open {public}\n" in shared.system.output()
