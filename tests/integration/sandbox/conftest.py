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
from tests.attacks.arena import PLAIN
from tests.integration.sandbox.walled import SERVERS, Walled

LAYERS = find_layers()
needs_kernel = pytest.mark.skipif(LAYERS.level != "kernel", reason="this kernel does not hold the walls")
LEVELS = [pytest.param(LAYERS, id="kernel", marks=needs_kernel), pytest.param(Isolation(), id="process")]


@pytest.fixture(scope="session")
def loop() -> Iterator[EventLoop]:
    loop = EventLoop()
    yield loop
    loop.close()


@pytest.fixture(scope="module", params=LEVELS)
def isolation(request: pytest.FixtureRequest) -> Isolation:
    found: Isolation = request.param
    return found


@contextmanager
def walled(loop: EventLoop, workspace: Path, isolation: Isolation, **entry: Any) -> Iterator[Walled]:  # noqa: ANN401  (mcp.json's)
    """Start a server for somebody at home there."""
    workspace.mkdir(exist_ok=True)
    trying = {"command": ["python", "main.py"], "cwd": str(SERVERS / "trying"), "read_paths": [str(PLAIN)]}
    fields = {**trying, **entry}
    client = McpToolClient("walled", ServerEntry.model_validate(fields), loop, os.environ, isolation=isolation)
    with closing(client):
        yield Walled(client, workspace)
