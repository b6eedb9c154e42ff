import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.sandbox.probe import find_layers
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry
from tests.attacks.target import MCP_SERVERS
from tests.integration.sandbox.sandboxed_server import SANDBOXED_TOOLS, SandboxedServer

LAYERS = find_layers()
needs_kernel = pytest.mark.skipif(LAYERS.level != "kernel", reason="this kernel does not enforce the sandbox layers")
LEVELS = [pytest.param(LAYERS, id="kernel", marks=needs_kernel), pytest.param(Isolation(), id="process")]


@pytest.fixture(scope="session")
def loop() -> Iterator[EventLoop]:
    loop = EventLoop()
    yield loop
    loop.close()


@pytest.fixture(scope="module", params=LEVELS)
def isolation(request: pytest.FixtureRequest) -> Isolation:
    layers: Isolation = request.param
    return layers


@contextmanager
def sandboxed(
    loop: EventLoop,
    workspace: Path,
    isolation: Isolation,
    **entry: Any,  # noqa: ANN401  (fields of mcp.json)
) -> Iterator[SandboxedServer]:
    """Start a server for the user of a workspace."""
    workspace.mkdir(exist_ok=True)
    cwd = str(SANDBOXED_TOOLS / "file_access")
    fields = {"command": ["python", "main.py"], "cwd": cwd, "read_paths": [str(MCP_SERVERS)], **entry}
    client = McpToolClient("sandboxed", ServerEntry.model_validate(fields), loop, os.environ, isolation=isolation)
    with closing(client):
        yield SandboxedServer(client, workspace)
