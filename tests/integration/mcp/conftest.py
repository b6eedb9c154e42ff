import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.servers import ServerEntry
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, StartRaw, ToolCaller


@pytest.fixture(scope="session")
def loop() -> Iterator[EventLoop]:
    loop = EventLoop()
    yield loop
    loop.close()


@pytest.fixture
def start_raw(loop: EventLoop, tmp_path: Path) -> Iterator[StartRaw]:
    """Return a function that creates callers of the raw server with given flags, environment or limits."""
    started: list[McpToolClient] = []

    def start(*flags: str, environ: dict[str, str] | None = None, **limits: Any) -> ToolCaller:  # noqa: ANN401  (options of the client)
        command = ["python", "-S", "raw.py", *flags]
        entry = ServerEntry(command=command, cwd=str(SERVER_PROGRAMS), env={"FROM_ENTRY": "yes"})
        client = McpToolClient("raw", entry, loop, environ or os.environ, **limits)
        started.append(client)
        workspace = tmp_path / "alice"
        workspace.mkdir(exist_ok=True)
        return ToolCaller(client, workspace)

    yield start
    for client in started:
        client.close()


@pytest.fixture
def raw(start_raw: StartRaw) -> ToolCaller:
    return start_raw()
