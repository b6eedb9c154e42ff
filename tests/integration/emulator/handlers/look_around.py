"""A handler that calls a Python server as the runner does, without AWS. Its servers are prepared, if they can be."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from local.emulator.runners.context import LambdaContext
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp import processes
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.servers import ServerEntry
from tests.integration.emulator.server_programs import look_around
from tests.integration.mcp.tool_caller import json_of

PROGRAMS = Path(look_around.__file__).parent


@lru_cache
def loop() -> EventLoop:
    return EventLoop()


@lru_cache
def client(variables: str) -> McpToolClient:
    processes.become_subreaper()
    env = dict.fromkeys(variables.split(), "value")
    entry = ServerEntry(command=["python", "look_around.py"], cwd=str(PROGRAMS), env=env)
    return McpToolClient("look_around", entry, loop(), os.environ)


def look(event: object, _context: LambdaContext) -> object:
    """Return the report of the tool, and what the same search finds in this process."""
    fields = cast("dict[str, str]", event)
    with client(fields["variables"]).call("look", {"pattern": fields["pattern"]}, None, writes=False) as running:
        report: dict[str, Any] = json_of(running.receive(60))
    return report | {"runner": os.getpid(), "found_in_runner": look_around.find_in_memory(fields["pattern"].encode())}


def crash(_event: object, _context: LambdaContext) -> object:
    """Let the server end during a call, and return the failure."""
    with client("").call("leave", {"code": 3}, None, writes=False) as running:
        return repr(running.receive(60))


def shutdown() -> None:
    client("").close()
    loop().close()
