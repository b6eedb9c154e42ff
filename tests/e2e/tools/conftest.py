"""A system with servers of every kind: near and far, by path and by address, closed, broken, and that of the guide."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.person import Person
from tests.e2e.system import System, running_system
from tests.e2e.tools.spec_4 import HTML_REPORT, MAIN, REGISTRATION

PATIENCE = 60.0
FINDER = Path(__file__).parent / "servers/finder.py"


@pytest.fixture(scope="session")
def finder_url() -> Iterator[str]:
    """A server somewhere else."""
    with subprocess.Popen([sys.executable, str(FINDER), "http"], stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        process.kill()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the configuration lies, with the server of the guide beside it."""
    folder = tmp_path_factory.mktemp("overrides")
    main = folder / "backend/mcp/MyExampleServer/main.py"
    main.parent.mkdir(parents=True)
    start = MAIN.index("if __name__")
    main.write_text(f"{MAIN[:start]}{HTML_REPORT}\n{MAIN[start:]}", encoding="utf-8")
    (folder / "mcp.json").write_text(json.dumps(json.loads(REGISTRATION) | _servers(folder)), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def system(folder: Path, finder_url: str) -> Iterator[System]:
    settings = {
        "SATCHEL_MCP_CONFIG": str(folder / "mcp.json"),
        "FINDER_URL": finder_url,
        "FINDER_TOKEN": "t0ken",
        "POWERTOOLS_LOG_LEVEL": "DEBUG",
    }
    with running_system(settings=settings) as running:
        _wait_for_listings(Person(running.url, "waiting@example.com", "users,staff"))
        yield running


def _wait_for_listings(person: Person) -> None:
    """Not all of so many servers have answered when the system is ready."""
    gives_up = time.monotonic() + PATIENCE
    while time.monotonic() < gives_up:
        servers = person.call("GET", "/api/tools").json()["servers"]
        if all(server["status"] != "starting" for server in servers):
            return
        time.sleep(0.1)
    pytest.fail("some servers have not answered")


def _servers(folder: Path) -> dict[str, dict[str, Any]]:
    near = {"command": ["python", str(FINDER)], "groups": ["users"]}
    far = {"url": "${FINDER_URL}", "auth_token": "${FINDER_TOKEN}", "allow_private": True}
    told = f"echo started >> {folder}/started; exec {sys.executable} {FINDER}"
    late = f"test -e {folder}/there || exit 3; exec {sys.executable} {FINDER}"
    return {
        "near_path": {**near, "files": {"elsewhere": "url"}},
        "near_url": {**near, "files": "url"},
        "far_path": {**far, "files": "path"},
        "far_url": far,
        "closed": {**near, "command": ["sh", "-c", told], "groups": ["staff"]},
        "late": {**near, "command": ["sh", "-c", late], "description": "Starts when it can."},
        "nowhere": {"command": ["no-such-program"]},
    }
