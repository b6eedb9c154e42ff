import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.servers import ServerEntry
from tests.integration.mcp.calling import SERVERS, Caller, StartRaw


@pytest.fixture(scope="session")
def loop() -> Iterator[EventLoop]:
    loop = EventLoop()
    yield loop
    loop.close()


@pytest.fixture
def start_raw(loop: EventLoop, tmp_path: Path) -> Iterator[StartRaw]:
    """Make a caller of the raw server, with other flags, environment or limits."""
    started: list[McpToolClient] = []

    def start(*flags: str, environ: dict[str, str] | None = None, **limits: Any) -> Caller:  # noqa: ANN401  (the client's own)
        command = ["python", "-S", "raw.py", *flags]
        entry = ServerEntry(command=command, cwd=str(SERVERS), env={"FROM_ENTRY": "yes"})
        client = McpToolClient("raw", entry, loop, environ or os.environ, **limits)
        started.append(client)
        workspace = tmp_path / "alice"
        workspace.mkdir(exist_ok=True)
        return Caller(client, workspace)

    yield start
    for client in started:
        client.close()


@pytest.fixture
def raw(start_raw: StartRaw) -> Caller:
    return start_raw()
