"""Servers that announce a change of their tools while they are warm."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp import session
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import ToolResult
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, StartRaw, ToolCaller


def tools_changed(caller: ToolCaller, tool: str) -> bool:
    answer = caller.outcome(tool)
    assert isinstance(answer, ToolResult), answer
    return answer.tools_changed


@pytest.mark.parametrize("flags", [(), ("--modern",)], ids=["older", "current"])
def test_change_is_reported_once_with_the_result(start_raw: StartRaw, flags: tuple[str, ...]) -> None:
    raw = start_raw(*flags)
    assert [tools_changed(raw, tool) for tool in ("pid", "grows", "pid")] == [False, True, False]


def test_change_between_calls_is_reported_with_the_next_result(start_raw: StartRaw) -> None:
    raw = start_raw()
    assert tools_changed(raw, "grows_later") is False
    result = raw.outcome("nap", seconds=5)
    assert isinstance(result, ToolResult)
    assert result.tools_changed is True
    assert tools_changed(raw, "pid") is False


@pytest.fixture
def changing(loop: EventLoop, tmp_path: Path) -> Iterator[ToolCaller]:
    """A server that announces changes to subscribers only."""
    entry = ServerEntry(command=["python", "changing_tools.py"], cwd=str(SERVER_PROGRAMS))
    client = McpToolClient("changing", entry, loop, os.environ)
    yield ToolCaller(client, tmp_path)
    client.close()


def test_client_subscribes_to_servers_that_notify_only_subscribers(changing: ToolCaller) -> None:
    assert tools_changed(changing, "rest") is False
    assert tools_changed(changing, "grow") is True
    assert tools_changed(changing, "rest") is False


def test_first_call_waits_until_the_server_has_confirmed_the_subscription(
    changing: ToolCaller, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe = Client.listen

    @asynccontextmanager
    async def subscribe_late(client: Client, **lists: Any) -> AsyncIterator[Any]:  # noqa: ANN401  (the options of `listen`)
        await asyncio.sleep(0.5)
        async with subscribe(client, **lists) as subscription:
            yield subscription

    monkeypatch.setattr(session, "_SUBSCRIPTION_SECONDS", 60)
    monkeypatch.setattr(Client, "listen", subscribe_late)
    assert tools_changed(changing, "grow") is True


def test_server_that_never_confirms_a_subscription_is_called_all_the_same(
    changing: ToolCaller, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def wait_forever(_client: Client, **_lists: object) -> AsyncIterator[Any]:
        await asyncio.Event().wait()
        yield

    monkeypatch.setattr(session, "_SUBSCRIPTION_SECONDS", 0.1)
    monkeypatch.setattr(Client, "listen", wait_forever)
    assert tools_changed(changing, "rest") is False
