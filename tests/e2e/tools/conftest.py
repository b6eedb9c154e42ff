"""A system with servers of every kind: near and far, by path and by address, closed, broken, the guide's, strangers."""

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
from tests.e2e.tools.strangers import strangers

PATIENCE = 60.0
FINDER = Path(__file__).parent / "servers/finder.py"
PLAIN = Path(__file__).parents[2] / "servers"


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
    entries = json.loads(REGISTRATION) | _servers(folder) | strangers(folder)
    (folder / "mcp.json").write_text(json.dumps(entries), encoding="utf-8")
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
    near = {"command": ["python", FINDER.name], "cwd": str(FINDER.parent), "groups": ["users"]}
    near |= {"read_paths": [str(PLAIN)]}
    far = {"url": "${FINDER_URL}", "auth_token": "${FINDER_TOKEN}", "allow_private": True}
    program = f"runpy.run_path('{FINDER.name}', run_name='__main__')"
    told = f"import runpy, sys; print('started', file=sys.stderr); {program}"
    late = f"import os, runpy, sys; os.path.exists('{folder}/there') or sys.exit(3); {program}"
    return {
        "near_path": {**near, "files": {"elsewhere": "url"}},
        "near_url": {**near, "files": "url"},
        "far_path": {**far, "files": "path"},
        "far_url": far,
        "closed": {**near, "command": ["python", "-c", told], "groups": ["staff"]},
        "late": {**near, "command": ["python", "-c", late], "read_paths": [str(PLAIN), str(folder)]},
        "nowhere": {"command": ["no-such-program"]},
    }
