"""Specification 3, sections 2.2, 6.2 and 7.2, with both feature flags changed: a system of its own."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from tests.e2e.specifications.chat import Chat
from tests.e2e.specifications.conftest import unused_name
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import Json, UserClient, fetch, run_user
from tests.fake_providers.server import FakeEndpoint

MCP_SERVERS = Path(__file__).parents[2] / "mcp_servers"
LIMIT_MB = 1
LIMIT_BYTES = LIMIT_MB << 20
MAX_SECONDS = 120.0
PATH = "/tmp/{username}"


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, endpoint: FakeEndpoint) -> Iterator[SystemProcess]:
    """A system that deletes files with their session, and returns files up to 1 MB as base64."""
    config = tmp_path_factory.mktemp("config") / "mcp.json"
    config.write_text(f'{{"spec3": {{"command": ["python", "spec3.py"], "cwd": "{MCP_SERVERS}"}}}}')
    settings = {
        "SATCHEL_MCP_CONFIG": str(config),
        "SATCHEL_MODELS": f'[{{"name": "scripted", "model": "{endpoint.model_name("openai-chat")}"}}]',
        "OPENAI_API_KEY": "sk-fake",
        "SATCHEL_PERSIST_FILES_ACROSS_SESSIONS": "false",
        "SATCHEL_BASE64_SIZE_LIMIT_MB": str(LIMIT_MB),
    }
    with running_system(settings=settings) as running:
        wait_until(lambda: servers(running)[0]["status"] == "ready")
        yield running


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    return UserClient(system.url, unused_name("bob"))


def servers(system: SystemProcess) -> list[Json]:
    listed: list[Json] = UserClient(system.url, run_user("observer")).request("GET", "/api/tools").json()["servers"]
    return listed


@pytest.mark.clause("v2.1:persist:off", "v2.1:deferred:session-end")
def test_all_files_of_a_session_are_deleted_when_it_ends(user: UserClient, endpoint: FakeEndpoint) -> None:
    chat = Chat(user, user.create_session(), endpoint)
    other = chat.in_new_session()
    other.upload("of another session.txt", b"stays")
    chat.upload("uploaded.txt", b"uploaded")
    output = {
        "results": 1,
        "artifacts": [{"name": "generated.txt", "path": f"{PATH}/generated.txt", "mime": "text/plain"}],
        "deferred_artifacts": [{"name": "draft.txt", "path": f"{PATH}/draft.txt", "mime": "text/plain"}],
    }
    turn = chat.call("spec3.give", {"files": {"generated.txt": "generated", "draft.txt": "draft"}, "output": output})
    files = {file["name"]: file for file in chat.files()}
    assert files.keys() == {"uploaded.txt", "generated.txt", "draft.txt"}
    links = [user.url + file["download_url"] for file in (*files.values(), *turn.artifacts)]
    assert all(fetch(link).is_success for link in links)

    assert user.request("DELETE", f"/api/sessions/{chat.session_id}").is_success
    wait_until(lambda: [file["name"] for file in all_files(user)] == ["of another session.txt"])
    for file in files.values():
        assert user.request("GET", f"/api/files/{file['file_key']}").status_code == httpx2.codes.NOT_FOUND
    assert {fetch(link).status_code for link in links} == {httpx2.codes.NOT_FOUND}
    assert "draft.txt" not in other.run(message="hello").prompt


@pytest.mark.clause("v2.1:processing:b64", "v2.1:processing:reference", "v2.1:storage:prefix", "v2.1:storage:hidden")
@pytest.mark.parametrize("size", [LIMIT_BYTES, LIMIT_BYTES + 1], ids=["up to the limit", "above the limit"])
def test_report_of_section_6_2_has_base64_up_to_the_limit_and_a_reference_above(
    size: int, user: UserClient, endpoint: FakeEndpoint
) -> None:
    chat = Chat(user, user.create_session(), endpoint)
    turn = chat.call("spec3.give_report", {"size": size})
    (file,) = turn.artifacts
    record = chat.read_file(file["file_key"])
    shown = ("name", "mime", "size", "description", "category", "auto_open")
    assert [record[name] for name in shown] == [
        "quarterly_report.html",
        "text/html",
        size,
        "Q3 financial analysis report",
        "report",
        True,
    ]
    assert (record["b64"] is None, record["s3_ref"] is None) == (size > LIMIT_BYTES, size <= LIMIT_BYTES)
    if size > LIMIT_BYTES:
        assert record["s3_ref"]["internal"] is True
        assert record["s3_ref"]["key"].startswith(f"{user.name}/artifacts/")
        assert record["s3_ref"]["key"].endswith("/quarterly_report.html")
        assert record["s3_ref"].keys() == {"key", "internal"}
    assert fetch(user.url + record["download_url"]).content == b"x" * size
    assert "s3_ref" not in str(turn.model_requests) + str(turn.events)


@pytest.mark.clause("v2.1:size-limit:configured")
def test_configured_limit_is_announced(user: UserClient) -> None:
    config = user.request("GET", "/api/config").json()
    assert (config["flags"]["base64_size_limit_mb"], config["limits"]["inline_bytes"]) == (LIMIT_MB, LIMIT_BYTES)


def all_files(user: UserClient) -> list[Json]:
    files: list[Json] = user.request("GET", "/api/files").json()["files"]
    return files


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + MAX_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.05)
