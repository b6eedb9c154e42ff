"""Servers made with fastmcp give the same answers over each transport."""

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
from satchel.domain.inputs import InputAnswer
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, CannotAsk, LogMessage, ProgressUpdate, ToolResult
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, ToolCaller

BLUE = InputAnswer(input_id="1-0", action="accept", content={"value": "blue"})
FASTMCP_SERVER = str(SERVER_PROGRAMS / "fastmcp_server.py")


def serve(transport: str) -> Iterator[str]:
    with subprocess.Popen([sys.executable, FASTMCP_SERVER, transport], stdout=subprocess.PIPE) as process:  # noqa: S603
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
        return ServerEntry(command=["python", FASTMCP_SERVER], cwd=str(SERVER_PROGRAMS))
    url = request.getfixturevalue(f"{request.param}_url")
    return ServerEntry(url=url, transport=request.param, auth_token="t0ken", allow_private=True)


@pytest.fixture(scope="module")
def real(entry: ServerEntry, loop: EventLoop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolCaller]:
    client = McpToolClient("real", entry, loop, os.environ)
    yield ToolCaller(client, tmp_path_factory.mktemp("home"))
    client.close()


@pytest.mark.clause("v4:tools:docstring")
def test_tools_are_listed_with_their_schemas(real: ToolCaller) -> None:
    tools = {tool.name: tool for tool in real.client.list_tools()}

    assert set(tools) == {"count", "big", "divide", "token", "waits", "elicits"}
    assert tools["count"].declares("steps")
    assert tools["big"].description.startswith("Progress first")


@pytest.mark.clause("v4:server:script")
def test_progress_logs_and_structured_result_arrive(real: ToolCaller) -> None:
    *events, answer = real.events("count", steps=50)

    assert events[:50] == [ProgressUpdate(progress=step, total=50, message=f"step {step}") for step in range(1, 51)]
    assert events[50:] == [LogMessage(level="info", message="counted")]
    assert isinstance(answer, ToolResult)
    assert answer.raw["structuredContent"] == {"steps": 50}


def test_exception_in_a_tool_is_a_result(real: ToolCaller) -> None:
    answer = real.outcome("divide", by=0)

    assert isinstance(answer, ToolResult)
    assert answer.raw["isError"] is True


def test_next_call_works_after_a_killed_call(real: ToolCaller, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with real.client.call("waits", {"note": str(note)}, real.workspace, writes=True) as running:
        assert running.receive(120) == ProgressUpdate(progress=1)
        running.kill()
        failure = running.receive(120)

    assert isinstance(failure, CallFailure)
    assert isinstance(real.outcome("divide", by=1), ToolResult)


def test_answer_over_one_mebibyte_arrives_over_each_transport(real: ToolCaller) -> None:
    answer = real.outcome("big", size=3_000_000)

    assert isinstance(answer, ToolResult)
    assert len(answer.raw["structuredContent"]["result"]) == 3_000_000


def test_answer_over_the_size_limit_fails_over_each_transport(
    entry: ServerEntry, loop: EventLoop, tmp_path: Path
) -> None:
    client = McpToolClient("real", entry, loop, os.environ, max_bytes=1_000_000)
    caller = ToolCaller(client, tmp_path)
    failure = caller.outcome("big", size=2_000_000)
    result = caller.outcome("big", size=100_000)
    client.close()

    assert failure == CallFailure(
        crashed=True, message="The answer is longer than 1000000 bytes", exceeded_limit=1_000_000
    )
    assert isinstance(result, ToolResult)


def test_older_revision_of_the_entry_lets_tools_ask_while_they_run(
    entry: ServerEntry, loop: EventLoop, tmp_path: Path
) -> None:
    client = McpToolClient("real", entry.model_copy(update={"protocol": "2025-11-25"}), loop, os.environ)
    events = ToolCaller(client, tmp_path).answered("elicits", BLUE)
    client.close()

    assert isinstance(events[-1], ToolResult)
    assert "data='blue'" in events[-1].raw["content"][0]["text"]


def test_tool_that_asks_while_it_runs_cannot_do_so_with_the_newer_revision(real: ToolCaller) -> None:
    outcome = real.outcome("elicits")

    # The whole text, so that a new version of FastMCP with other words does not go unnoticed.
    text = "elicitation via server-initiated requests is unavailable on 2026-07-28 connections."
    assert outcome == CannotAsk(message=text)


def test_tool_of_the_mcp_sdk_cannot_ask_while_it_runs_with_the_newer_revision(loop: EventLoop, tmp_path: Path) -> None:
    entry = ServerEntry(command=["python", "sdk_asking.py"], cwd=str(SERVER_PROGRAMS))
    clients = [
        McpToolClient("sdk", entry.model_copy(update=update), loop, os.environ)
        for update in ({}, {"protocol": "2025-11-25"})
    ]
    newer, older = (ToolCaller(client, tmp_path).answered("asks", BLUE)[-1] for client in clients)
    for client in clients:
        client.close()

    reason = "this transport context has no back-channel for server-initiated requests."
    assert newer == CannotAsk(message=f"Cannot send 'elicitation/create': {reason}")
    assert isinstance(older, ToolResult)
    assert "value='blue'" in older.raw["content"][0]["text"]


@pytest.mark.clause("v4:registry:auth-token")
@pytest.mark.parametrize(("token", "seen"), [("t0ken", "Bearer t0ken"), (None, "none")])
def test_only_the_token_of_the_entry_is_sent(loop: EventLoop, http_url: str, token: str | None, seen: str) -> None:
    client = McpToolClient("real", ServerEntry(url=http_url, auth_token=token, allow_private=True), loop, os.environ)
    answer = ToolCaller(client, Path("/nowhere")).outcome("token")

    assert isinstance(answer, ToolResult)
    assert answer.raw["structuredContent"] == {"result": seen}


def test_changed_token_is_sent_with_the_next_call(loop: EventLoop, http_url: str) -> None:
    tokens = iter(["old", "new"])
    entry = ServerEntry(url=http_url, auth_token="${TOKEN}", allow_private=True)
    caller = ToolCaller(
        McpToolClient(
            "real", entry, loop, os.environ, fill=lambda e: e.model_copy(update={"auth_token": next(tokens)})
        ),
        Path("/nowhere"),
    )
    answers = [caller.outcome("token") for _ in range(2)]

    assert [a.raw["structuredContent"] for a in answers if isinstance(a, ToolResult)] == [
        {"result": "Bearer old"},
        {"result": "Bearer new"},
    ]


def test_server_without_a_value_for_its_token_is_not_contacted(loop: EventLoop, http_url: str) -> None:
    def fill(_: ServerEntry) -> ServerEntry:
        raise ConfigError("auth_token: the variable TOKEN is not set")

    entry = ServerEntry(url=http_url, auth_token="${TOKEN}", allow_private=True)
    client = McpToolClient("real", entry, loop, os.environ, fill=fill)
    with pytest.raises(ToolCrashed, match="auth_token: the variable TOKEN is not set"):
        client.list_tools()


def test_remote_server_is_notified_of_a_cancelled_call(loop: EventLoop, http_url: str, tmp_path: Path) -> None:
    client = McpToolClient("real", ServerEntry(url=http_url, allow_private=True), loop, os.environ)
    note = tmp_path / "note"
    with client.call("waits", {"note": str(note)}, None, writes=True) as running:
        running.receive(120)
        running.kill()
    deadline = time.monotonic() + 60
    while not note.exists() and time.monotonic() < deadline:
        time.sleep(0.01)

    assert note.exists()
