"""A system with many kinds of tool servers.

They are local or remote, get files as paths or URLs, or are restricted, broken, from the guide or from third parties.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.tools.guide_example import HTML_REPORT, MAIN, REGISTRATION
from tests.e2e.tools.third_party import third_party_servers
from tests.e2e.user_client import UserClient, run_user

READER_SERVER = Path(__file__).parent / "reader_server/main.py"
MCP_SERVERS = Path(__file__).parents[2] / "mcp_servers"


@pytest.fixture(scope="session")
def remote_url() -> Iterator[str]:
    """The URL of a remote server."""
    with subprocess.Popen([sys.executable, str(READER_SERVER), "http"], stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        process.kill()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the project, with the configuration and the server where the guide says."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "config/overrides").mkdir(parents=True)
    main = folder / "backend/mcp/MyExampleServer/main.py"
    main.parent.mkdir(parents=True)
    start = MAIN.index("if __name__")
    main.write_text(f"{MAIN[:start]}{HTML_REPORT}\n{MAIN[start:]}", encoding="utf-8")
    write_edited_server(folder, "def first(word: str) -> str: return word")
    entries = json.loads(REGISTRATION) | _servers(folder) | third_party_servers(folder)
    (folder / "config/overrides/mcp.json").write_text(json.dumps(entries), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def system(folder: Path, remote_url: str) -> Iterator[SystemProcess]:
    config = folder / "config/overrides/mcp.json"
    settings = {
        "SATCHEL_MCP_CONFIG": str(config),
        "REMOTE_URL": remote_url,
        "REMOTE_TOKEN": "t0ken",
        "POWERTOOLS_LOG_LEVEL": "DEBUG",
    }
    with running_system(settings=settings) as running:
        # Not only until they have been tried: one that a busy machine starts too late is started again.
        UserClient(running.url, run_user("waiting"), "users,staff").wait_for_tools("repaired_later", *_absent(config))
        yield running


def _absent(config: Path) -> list[str]:
    """Return the servers whose programs are not installed."""
    commands = {name: entry.get("command") for name, entry in json.loads(config.read_text()).items()}
    programs = {
        name: command if isinstance(command, str) else command[0] for name, command in commands.items() if command
    }
    return [name for name, program in programs.items() if shutil.which(program) is None]


def write_edited_server(folder: Path, function: str) -> None:
    """Write the program of the server ``edited``, whose only tool is ``function``."""
    program = (
        f"from fastmcp import FastMCP\nmcp = FastMCP('edited')\n@mcp.tool\n{function}\nmcp.run(show_banner=False)\n"
    )
    (folder / "edited").mkdir(exist_ok=True)
    (folder / "edited/main.py").write_text(program)


def _servers(folder: Path) -> dict[str, dict[str, Any]]:
    local = {"command": ["python", READER_SERVER.name], "cwd": str(READER_SERVER.parent), "groups": ["users"]}
    local |= {"read_paths": [str(MCP_SERVERS)]}
    remote = {"url": "${REMOTE_URL}", "auth_token": "${REMOTE_TOKEN}", "allow_private": True}
    program = f"runpy.run_path('{READER_SERVER.name}', run_name='__main__')"
    logging_start = f"import runpy, sys; print('started', file=sys.stderr); {program}"
    failing = f"import os, runpy, sys; os.path.exists('{folder}/repaired') or sys.exit(3); {program}"
    return {
        "local_path": {**local, "files": {"look_by_url": "url"}},
        "local_url": {**local, "files": "url"},
        "remote_path": {**remote, "files": "path"},
        "remote_url": remote,
        "restricted": {**local, "command": ["python", "-c", logging_start], "groups": ["staff"]},
        "repaired_later": {
            **local,
            "command": ["python", "-c", failing],
            "read_paths": [str(MCP_SERVERS), str(folder)],
        },
        "broken": {"command": ["no-such-program"]},
        "edited": {"command": ["python", "edited/main.py"]},
    }
