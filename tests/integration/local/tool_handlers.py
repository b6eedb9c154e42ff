"""A runner as the local one is, without AWS: an environment of one tenant, which keeps a server warm."""

import os
from functools import lru_cache
from pathlib import Path

from local.runners.context import LambdaContext
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.user_area import LocalUserArea
from satchel.domain.servers import ServerEntry
from tests.integration.mcp.calling import SERVERS, told


@lru_cache
def loop() -> EventLoop:
    return EventLoop()


@lru_cache
def client() -> McpToolClient:
    return McpToolClient("raw", ServerEntry(command=["python", "-S", "raw.py"], cwd=str(SERVERS)), loop(), os.environ)


def handler(event: object, context: LambdaContext) -> object:
    """Call a tool that writes, which returns its server's pid; ``event`` is where people's corners are."""
    area = LocalUserArea(Path(str(event)))
    with (
        area.hold(str(context.tenant_id), "s1") as home,
        client().call("pid", {}, home, writes=True) as running,
    ):
        return {"environment": os.getpid(), "server": told(running.receive(30))}


def shutdown() -> None:
    client().close()
    loop().close()
