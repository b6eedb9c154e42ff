"""Servers made with fastmcp, over each transport: the same calls, the same answers."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.server_config import ConfigError
from satchel.contract.errors import ToolCrashed
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, LogMessage, ProgressUpdate, ToolResult
from tests.integration.mcp.calling import SERVERS, Caller

REAL = str(SERVERS / "real.py")


def serve(transport: str) -> Iterator[str]:
    with subprocess.Popen([sys.executable, REAL, transport], stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        process.kill()


@pytest.fixture(scope="module")
def http_url() -> Iterator[str]:
    yield from serve("http")


@pytest.fixture(scope="module")
def sse_url() -> Iterator[str]:
    yield from serve("sse")


@pytest.fixture(scope="module", params=["stdio", "http", "sse"])
def entry(request: pytest.FixtureRequest) -> ServerEntry:
    if request.param == "stdio":
        return ServerEntry(command=["python", REAL])
    url = request.getfixturevalue(f"{request.param}_url")
    return ServerEntry(url=url, transport=request.param, auth_token="t0ken", allow_private=True)


@pytest.fixture(scope="module")
def real(entry: ServerEntry, loop: EventLoop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    client = McpToolClient("real", entry, loop, os.environ)
    yield Caller(client, tmp_path_factory.mktemp("home"))
    client.close()


@pytest.mark.clause("v4:tools:docstring")
def test_the_tools_are_listed_with_their_schemas(real: Caller) -> None:
    tools = {tool.name: tool for tool in real.client.list_tools()}

    assert set(tools) == {"count", "big", "divide", "token", "waits", "elicits"}
    assert tools["count"].declares("steps")
    assert tools["big"].description.startswith("Progress first")


@pytest.mark.clause("v4:server:script")
def test_progress_logs_and_the_structured_result_arrive(real: Caller) -> None:
    *heard, answer = real.signals("count", steps=50)

    assert heard[:50] == [ProgressUpdate(progress=step, total=50, message=f"step {step}") for step in range(1, 51)]
    assert heard[50:] == [LogMessage(level="info", message="counted")]
    assert isinstance(answer, ToolResult)
    assert answer.raw["structuredContent"] == {"steps": 50}


def test_an_exception_in_a_tool_is_an_answer(real: Caller) -> None:
    answer = real.last("divide", by=0)

    assert isinstance(answer, ToolResult)
    assert answer.raw["isError"] is True


def test_a_killed_call_ends_at_once_and_the_next_one_works(real: Caller, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with real.client.call("waits", {"note": str(note)}, real.workspace, writes=True) as running:
        assert running.receive(30) == ProgressUpdate(progress=1)
        running.kill()
        failed = running.receive(30)

    assert isinstance(failed, CallFailure)
    assert isinstance(real.last("divide", by=1), ToolResult)


def test_an_answer_may_be_larger_than_a_mebibyte_over_each_transport(real: Caller) -> None:
    answer = real.last("big", size=3_000_000)

    assert isinstance(answer, ToolResult)
    assert len(answer.raw["structuredContent"]["result"]) == 3_000_000


def test_an_answer_over_the_limit_says_the_limit_over_each_transport(
    entry: ServerEntry, loop: EventLoop, tmp_path: Path
) -> None:
    client = McpToolClient("real", entry, loop, os.environ, max_bytes=1_000_000)
    caller = Caller(client, tmp_path)
    refused = caller.last("big", size=2_000_000)
    taken = caller.last("big", size=100_000)
    client.close()

    assert refused == CallFailure(crashed=True, message="The answer is longer than 1000000 bytes", too_long=1_000_000)
    assert isinstance(taken, ToolResult)


def test_a_tool_that_asks_back_fails_and_says_so(real: Caller) -> None:
    answer = real.last("elicits")

    assert isinstance(answer, ToolResult)
    assert answer.raw["isError"] is True
    assert "elicitation" in answer.raw["content"][0]["text"]


@pytest.mark.clause("v4:registry:auth-token")
@pytest.mark.parametrize(("token", "seen"), [("t0ken", "Bearer t0ken"), (None, "none")])
def test_the_token_of_the_entry_is_sent_and_nothing_else(
    loop: EventLoop, http_url: str, token: str | None, seen: str
) -> None:
    client = McpToolClient("real", ServerEntry(url=http_url, auth_token=token, allow_private=True), loop, os.environ)
    answer = Caller(client, Path("/nowhere")).last("token")

    assert isinstance(answer, ToolResult)
    assert answer.raw["structuredContent"] == {"result": seen}


def test_a_token_that_was_changed_is_sent_with_the_next_call(loop: EventLoop, http_url: str) -> None:
    tokens = iter(["old", "new"])
    entry = ServerEntry(url=http_url, auth_token="${TOKEN}", allow_private=True)
    caller = Caller(
        McpToolClient(
            "real", entry, loop, os.environ, fill=lambda e: e.model_copy(update={"auth_token": next(tokens)})
        ),
        Path("/nowhere"),
    )
    answers = [caller.last("token") for _ in range(2)]

    assert [a.raw["structuredContent"] for a in answers if isinstance(a, ToolResult)] == [
        {"result": "Bearer old"},
        {"result": "Bearer new"},
    ]


def test_a_server_without_a_value_for_its_token_is_not_asked(loop: EventLoop, http_url: str) -> None:
    def fill(_: ServerEntry) -> ServerEntry:
        raise ConfigError("auth_token: the variable TOKEN is not set")

    entry = ServerEntry(url=http_url, auth_token="${TOKEN}", allow_private=True)
    client = McpToolClient("real", entry, loop, os.environ, fill=fill)
    with pytest.raises(ToolCrashed, match="auth_token: the variable TOKEN is not set"):
        client.list_tools()


def test_a_server_far_away_is_told_that_the_call_is_cancelled(loop: EventLoop, http_url: str, tmp_path: Path) -> None:
    client = McpToolClient("real", ServerEntry(url=http_url, allow_private=True), loop, os.environ)
    note = tmp_path / "note"
    with client.call("waits", {"note": str(note)}, None, writes=True) as running:
        running.receive(30)
        running.kill()
    ends = time.monotonic() + 5
    while not note.exists() and time.monotonic() < ends:
        time.sleep(0.01)

    assert note.exists()
