"""The Python client: as its wheel in an environment of its own, and over connections that break."""

import asyncio
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from satchel_client import ApiError, AsyncClient, Client, Event
from satchel_client.models import ChatLinkPage, ChatLinkWithUrl, SessionOut, TokenList, TokenWithText
from tests.e2e.conftest import NewUser
from tests.e2e.system_process import ROOT, SystemProcess
from tests.e2e.user_client import LOCAL_KEY
from tests.e2e.web.dropping_proxy import DroppingProxy

PACKAGE = ROOT / "clients/python"
ENVIRONMENT = ROOT / ".venv/client"
REQUIREMENTS = {"annotated-types", "anyio", "h11", "httpcore2", "httpx2", "idna", "pydantic", "pydantic-core"}
REQUIREMENTS |= {"truststore", "typing-extensions", "typing-inspection"}
MAX_WHEEL_BYTES = 80_000
CUTS = 50
CUT_INTERVAL_SECONDS = 0.05  # cuts some connections while they wait for events, others during a request
CALL = '/trial.log_lines {"lines": 100, "seconds": 2, "then_wait": 250}'  # runs until it is stopped
RETRY_DELAYS = [0.01] * 50


def examples() -> list[str]:
    """Return the complete programs of the client's README."""
    blocks = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)
    return [block for block in blocks if "import " in block]


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the built client and its requirements only."""
    folder = tmp_path_factory.mktemp("client")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=PACKAGE)
    [wheel] = folder.glob("*.whl")
    assert wheel.stat().st_size < MAX_WHEEL_BYTES
    environment = folder / "environment"
    shutil.copytree(ENVIRONMENT, environment, symlinks=True)
    python = environment / "bin/python"
    uv = Path(sys.executable).with_name("uv")
    run(uv, "pip", "install", "--offline", "--no-deps", "--python", python, wheel, cwd=folder)
    run(uv, "pip", "check", "--python", python, cwd=folder)
    installed = run(uv, "pip", "freeze", "--python", python, cwd=folder).splitlines()
    assert {line.partition("==")[0].partition(" @")[0] for line in installed} == {*REQUIREMENTS, "satchel-client"}
    return python


def test_examples_of_the_readme_run_with_the_installed_wheel(
    python: Path, system: SystemProcess, tmp_path: Path
) -> None:
    files, events = [
        run(python, "-c", code, cwd=tmp_path, SATCHEL_URL=system.url, SATCHEL_TOKEN=LOCAL_KEY) for code in examples()
    ]

    assert {path.name for path in tmp_path.iterdir()} == {"sales.csv", "sales_report.html", "sales_chart.png"}
    links = [line for line in files.splitlines() if line.startswith("http")]
    assert [httpx2.get(link, timeout=60).status_code for link in links] == [200, 200]
    assert events.splitlines()[0] == "1 turn_started"
    assert events.splitlines()[-1] == "complete"


def follow(url: str, name: str, proxy: str, path: tuple[str, str]) -> list[Event]:
    with Client(
        url, LOCAL_KEY, user=name, transport=httpx2.HTTPTransport(proxy=proxy), retry_delays=RETRY_DELAYS
    ) as client:
        client.config()  # a client that was never connected does not retry
        return list(client.session(path[0]).turn(path[1]))


def follow_with_asyncio(url: str, name: str, proxy: str, path: tuple[str, str]) -> list[Event]:
    async def run() -> list[Event]:
        transport = httpx2.AsyncHTTPTransport(proxy=proxy)
        async with AsyncClient(url, LOCAL_KEY, user=name, transport=transport, retry_delays=RETRY_DELAYS) as client:
            await client.config()
            return [event async for event in client.session(path[0]).turn(path[1])]

    return asyncio.run(run())


@pytest.mark.parametrize("size", [100, 2 << 20], ids=["one request", "parts"])
def test_repeated_upload_and_link_with_a_key_return_the_first_ones(
    size: int, system: SystemProcess, new_user: NewUser
) -> None:
    with Client(system.url, LOCAL_KEY, user=new_user().name) as client:
        content = bytes(size)
        first, second = (client.files.upload(content, name="a.bin", idempotency_key="k") for _ in range(2))
        links = {client.files.share(first.file_key, idempotency_key="k").link_id for _ in range(2)}

        assert (second.file_key, second.version, second.size) == (first.file_key, 1, size)
        assert links == {link.link_id for link in client.links()}


class LostResponses(httpx2.HTTPTransport):
    """A connection that breaks after each first POST to a path, when the server has answered it."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: dict[str, httpx2.Response] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        if request.method == "POST" and request.url.path not in self.lost:
            response.read()
            self.lost[request.url.path] = response
            raise httpx2.ReadError("cut")
        return response


def test_link_and_token_whose_responses_were_lost_exist_once_and_work(system: SystemProcess, new_user: NewUser) -> None:
    transport = LostResponses()
    with Client(system.url, LOCAL_KEY, user=new_user().name, transport=transport, retry_delays=RETRY_DELAYS) as client:
        client.config()  # a client that was never connected does not retry
        session = client.start_session()
        path = f"/api/sessions/{session.session_id}/links"
        link = client.request(ChatLinkWithUrl, "POST", path)
        token = client.request(TokenWithText, "POST", "/api/me/tokens", json={"name": "program"})
        links = client.request(ChatLinkPage, "GET", "/api/chat-links").links
        tokens = client.request(TokenList, "GET", "/api/me/tokens").tokens
    lost_link, lost_token = transport.lost[path].json(), transport.lost["/api/me/tokens"].json()

    assert [each.session_id for each in client_sessions(system, token.token)] == [session.session_id]
    assert [each.chat_link_id for each in links] == [link.chat_link_id] == [lost_link["chat_link_id"]]
    assert [each.token_id for each in tokens] == [token.token_id] == [lost_token["token_id"]]
    shared = {"token": link.url.partition("#share=")[2]}, {"token": lost_link["url"].partition("#share=")[2]}
    opened = [httpx2.get(f"{system.url}/api/shared-chat", params=each, timeout=60).status_code for each in shared]
    assert opened == [200, 404]
    with pytest.raises(ApiError, match="E_UNAUTHORIZED"):
        client_sessions(system, lost_token["token"])


def client_sessions(system: SystemProcess, token: str) -> list[SessionOut]:
    with Client(system.url, token) as client:
        return list(client.sessions())


def test_change_with_an_outdated_tag_is_refused(system: SystemProcess, new_user: NewUser) -> None:
    with Client(system.url, LOCAL_KEY, user=new_user().name) as client:
        path = f"/api/files/{client.files.upload(b'1', name='a.txt').file_key}"
        outdated = {"If-Match": client.send("GET", path).headers["ETag"]}
        client.files.upload(b"2", name="a.txt")

        with pytest.raises(ApiError) as refused:
            client.send("DELETE", path, headers=outdated)
        assert (refused.value.status, refused.value.code) == (412, "E_CHANGED")
        client.send("DELETE", path, headers={"If-Match": client.send("GET", path).headers["ETag"]})
        assert list(client.files.list()) == []


@pytest.mark.parametrize("follow", [follow, follow_with_asyncio])
def test_no_event_is_lost_or_doubled_over_fifty_broken_connections(
    follow: Callable[[str, str, str, tuple[str, str]], list[Event]], system: SystemProcess, new_user: NewUser
) -> None:
    user = new_user()
    proxy, cuts = DroppingProxy(), 0
    with Client(system.url, LOCAL_KEY, user=user.name) as direct, proxy.running() as proxy_url:
        turn = direct.start_session().ask(CALL)
        with ThreadPoolExecutor(1) as pool:
            received = pool.submit(follow, system.url, user.name, proxy_url, (turn.session_id, turn.turn_id))
            while cuts < CUTS and not received.done():
                time.sleep(CUT_INTERVAL_SECONDS)
                cuts += proxy.drop_all() > 0
            turn.cancel()
            dropped = received.result()
        assert cuts == CUTS
        assert dropped == list(turn)
    assert [event.seq for event in dropped] == list(range(1, len(dropped) + 1))
    assert dropped[-1].type == "turn_failed"
