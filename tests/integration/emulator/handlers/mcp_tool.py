"""A handler that calls a tool as the runner does, without AWS, and reuses its MCP server for later calls."""

import os
from functools import lru_cache
from pathlib import Path

from local.emulator.runners.context import LambdaContext
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.domain.ids import SessionId, UserName
from satchel.domain.servers import ServerEntry
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, json_of


@lru_cache
def loop() -> EventLoop:
    return EventLoop()


@lru_cache
def client() -> McpToolClient:
    return McpToolClient(
        "raw", ServerEntry(command=["python", "-S", "raw.py"], cwd=str(SERVER_PROGRAMS)), loop(), os.environ
    )


def handler(event: object, context: LambdaContext) -> object:
    """Call a tool that writes and returns its server's pid. ``event`` is the directory of the workspaces."""
    area = LocalWorkspaces(Path(str(event)))
    with (
        area.hold(UserName(str(context.tenant_id)), SessionId("s1")) as workspace,
        client().call("pid", {}, workspace, writes=True) as running,
    ):
        return {"environment": os.getpid(), "server": json_of(running.receive(30))}


def shutdown() -> None:
    client().close()
    loop().close()
