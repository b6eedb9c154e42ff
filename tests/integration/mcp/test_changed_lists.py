"""A server that says, while it is warm, that its tools are others now."""

import os
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import ToolResult
from tests.integration.mcp.calling import SERVERS, Caller, StartRaw


def says_changed(caller: Caller, tool: str) -> bool:
    answer = caller.last(tool)
    assert isinstance(answer, ToolResult), answer
    return answer.tools_changed


@pytest.mark.parametrize("flags", [(), ("--modern",)], ids=["older", "current"])
def test_a_change_is_told_with_the_answer_and_once(start_raw: StartRaw, flags: tuple[str, ...]) -> None:
    raw = start_raw(*flags)
    assert [says_changed(raw, tool) for tool in ("pid", "grows", "pid")] == [False, True, False]


def test_a_change_between_two_calls_is_told_with_the_next(start_raw: StartRaw) -> None:
    raw = start_raw()
    assert says_changed(raw, "grows_later") is False
    told = raw.last("nap", seconds=0.5)
    assert isinstance(told, ToolResult)
    assert told.tools_changed is True
    assert says_changed(raw, "pid") is False


def test_a_server_that_tells_only_subscribers_is_subscribed_to(loop: EventLoop, tmp_path: Path) -> None:
    entry = ServerEntry(command=["python", str(SERVERS / "changing.py")])
    client = McpToolClient("changing", entry, loop, os.environ)
    caller = Caller(client, tmp_path)
    assert says_changed(caller, "rest") is False
    assert says_changed(caller, "grow") is True
    assert says_changed(caller, "rest") is False
    client.close()
