"""Servers that announce a change of their tools while they are warm."""

import os
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
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
    result = raw.outcome("nap", seconds=2)
    assert isinstance(result, ToolResult)
    assert result.tools_changed is True
    assert tools_changed(raw, "pid") is False


def test_client_subscribes_to_servers_that_notify_only_subscribers(loop: EventLoop, tmp_path: Path) -> None:
    entry = ServerEntry(command=["python", "changing_tools.py"], cwd=str(SERVER_PROGRAMS))
    client = McpToolClient("changing", entry, loop, os.environ)
    caller = ToolCaller(client, tmp_path)
    assert tools_changed(caller, "rest") is False
    assert tools_changed(caller, "grow") is True
    assert tools_changed(caller, "rest") is False
    client.close()
