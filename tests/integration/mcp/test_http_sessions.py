"""MCP sessions with servers over HTTP: one for all calls of a chat session, and as few requests as possible."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp import session
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, ServerSessions, ToolEvent, ToolResult
from tests.fakes.server_sessions import FakeServerSessions
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, TIMEOUT, json_of

ROOT = Path(__file__).parents[3]


@dataclass
class RemoteServer:
    """A server over HTTP, and the client that calls it."""

    url: str
    client: McpToolClient

    def call(self, tool: str, sessions: ServerSessions | None, **arguments: Any) -> Any:  # noqa: ANN401  (whatever a tool returns)
        return json_of(self.outcome(tool, sessions, **arguments))

    def outcome(self, tool: str, sessions: ServerSessions | None, **arguments: Any) -> ToolEvent:  # noqa: ANN401  (whatever a tool takes)
        with self.client.call(tool, arguments, None, writes=False, sessions=sessions) as running:
            event = running.receive(TIMEOUT)
            while not isinstance(event, ToolResult | CallFailure):
                event = running.receive(TIMEOUT)
            return event

    def state(self) -> dict[str, Any]:
        """Return the requests since the last call of this method, and the carts of the open MCP sessions."""
        state: dict[str, Any] = httpx2.get(f"{self.url}/requests", timeout=60).json()
        return state

    def methods(self) -> list[str]:
        """Return the requests since the last reading, without those of the optional event stream."""
        return [mcp or http for http, mcp, _ in self.state()["requests"] if http != "GET"]


def serve(program: Path) -> Iterator[str]:
    command = [sys.executable, str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.kill()


@pytest.fixture(scope="module")
def cart_url() -> Iterator[str]:
    yield from serve(ROOT / "tests/mcp_servers/cart_server.py")


@pytest.fixture
def cart(cart_url: str, loop: EventLoop, monkeypatch: pytest.MonkeyPatch) -> Iterator[RemoteServer]:
    monkeypatch.setattr(session, "_CLOSE_SECONDS", 60)  # a busy server ends a session later
    client = McpToolClient("cart", ServerEntry(url=f"{cart_url}/mcp", allow_private=True), loop, os.environ)
    httpx2.delete(f"{cart_url}/sessions", timeout=60)
    server = RemoteServer(cart_url, client)
    server.state()
    yield server
    client.close()


def test_calls_of_a_conversation_share_the_servers_session(cart: RemoteServer) -> None:
    conversation = FakeServerSessions()
    cart.call("add", conversation, item="pen")

    assert cart.call("view", conversation) == ["pen"]
    assert len(cart.state()["carts"]) == 1


def test_another_conversation_has_its_own_session(cart: RemoteServer) -> None:
    cart.call("add", FakeServerSessions(), item="pen")

    assert cart.call("view", FakeServerSessions()) == []


def test_call_in_an_open_session_sends_one_message(cart: RemoteServer) -> None:
    conversation = FakeServerSessions()
    cart.call("view", conversation)
    first = cart.methods()
    cart.call("view", conversation)

    assert first == ["server/discover", "initialize", "notifications/initialized", "tools/call"]
    assert cart.methods() == ["tools/call"]


def test_session_is_renewed_after_a_restart_of_the_server(cart: RemoteServer) -> None:
    conversation = FakeServerSessions()
    cart.call("add", conversation, item="pen")
    httpx2.delete(f"{cart.url}/sessions", timeout=60)

    assert cart.call("add", conversation, item="cup") == ["cup"]
    assert cart.call("view", conversation) == ["cup"]


def test_simultaneous_first_calls_share_one_session(cart: RemoteServer) -> None:
    conversation, items = FakeServerSessions(), [f"item {number}" for number in range(4)]
    threads = [threading.Thread(target=cart.call, args=("add", conversation), kwargs={"item": i}) for i in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(cart.call("view", conversation)) == items
    assert list(cart.state()["carts"]) == [conversation.stored and conversation.stored.session_id]


def test_session_without_a_conversation_ends_with_the_request(cart: RemoteServer) -> None:
    cart.client.list_tools()
    cart.call("view", None)

    assert list(cart.state()["carts"]) == []


def test_stored_session_can_be_ended(cart: RemoteServer) -> None:
    conversation = FakeServerSessions()
    cart.call("view", conversation)
    assert conversation.stored is not None
    cart.client.end_session(conversation.stored)

    assert list(cart.state()["carts"]) == []


@pytest.fixture(scope="module")
def regional_url() -> Iterator[str]:
    yield from serve(SERVER_PROGRAMS / "header_server.py")


@pytest.fixture
def regional(regional_url: str, loop: EventLoop) -> Iterator[RemoteServer]:
    client = McpToolClient("regional", ServerEntry(url=f"{regional_url}/mcp", allow_private=True), loop, os.environ)
    server = RemoteServer(regional_url, client)
    server.state()
    yield server
    client.close()


ARGUMENTS = {"region": "us", "count": 3}
SEEN = {"mcp-param-region": "us", "mcp-param-count": "3"}


def test_arguments_that_the_schema_marks_are_sent_as_headers(regional: RemoteServer) -> None:
    [tool] = regional.client.list_tools()
    regional.methods()
    with regional.client.call(tool.name, ARGUMENTS, None, writes=False, input_schema=tool.input_schema) as running:
        assert json_of(running.receive(TIMEOUT)) == SEEN

    assert tool.has_header_arguments
    assert regional.methods() == ["tools/call"]


def test_call_with_missing_headers_is_repeated_after_a_new_list(regional: RemoteServer) -> None:
    assert regional.call("where", None, **ARGUMENTS) == SEEN
    assert regional.methods()[-3:] == ["tools/call", "tools/list", "tools/call"]
