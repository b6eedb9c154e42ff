"""Places that a server can use without a key of its entry: its scratch folder, and what its command names."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.sandbox import limits
from satchel.adapters.server_config import load_config
from satchel.contract.errors import ToolCrashed
from satchel.domain.isolation import Isolation
from tests.attacks.target import MCP_SERVERS
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, sandboxed
from tests.integration.sandbox.sandboxed_server import SANDBOXED_TOOLS, SandboxedServer

EVALUATE = SANDBOXED_TOOLS / "evaluate"
SERVER = {"cwd": str(EVALUATE)}
LIMITS = {"memory.limit_in_bytes", "cpu.cfs_quota_us", "memory.max", "cpu.max", "pids.max", "cgroup.controllers"}
WRITE = """
import os, pathlib, sqlite3, tempfile
pathlib.Path.home().joinpath("a").write_text("home")
with tempfile.NamedTemporaryFile("w") as file:
    file.write("temporary")
pathlib.Path(os.environ["XDG_CACHE_HOME"], "b").write_text("cache")
place = pathlib.Path(os.environ["SATCHEL_WORKSPACE"])
with sqlite3.connect(place / "c.db") as database:
    database.execute("create table t(a)")
result = sorted(path.name for path in place.rglob("*") if path.is_file()), str(place)
"""


@pytest.fixture(scope="module")
def server(
    loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SandboxedServer]:
    with sandboxed(loop, tmp_path_factory.mktemp("base") / "alice", isolation, **SERVER) as server:
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a server in `tools`, and a secret beside it."""
    folder = tmp_path / "project"
    shutil.copytree(EVALUATE, folder / "tools")
    (folder / "tools/neighbor.py").write_text("VALUE = 5")
    (folder / "secret").write_text("s3cret")
    return folder


def call(loop: EventLoop, config: Path, entry: dict[str, object], code: str) -> object:
    """Call the server of a configuration file with only this entry. Its file contains a secret of another server."""
    fields = {"read_paths": [str(MCP_SERVERS)], "env": {"PYTHONPATH": str(MCP_SERVERS)}, **entry}
    config.write_text(json.dumps({"a": fields, "other": {"url": "https://x.example", "auth_token": "s3cret"}}))
    servers = load_config(config).registry.servers
    with closing(McpToolClient("a", servers["a"], loop, os.environ, isolation=LAYERS)) as client:
        assert [tool.name for tool in client.list_tools()] == ["run"]
        return SandboxedServer(client, config.parent / "alice").call("run", writes=False, code=code).results


def attempt(expression: str) -> str:
    """Return code whose result is the type of the error that an expression raises, or its value."""
    return f"import os, pathlib\ntry:\n    result = {expression}\nexcept Exception as e:\n    result = type(e).__name__"


def test_tool_without_username_writes_in_home_temporary_and_cache_directories(server: SandboxedServer) -> None:
    outcome = server.call("run", writes=False, code=WRITE)

    names, place = outcome.results
    assert ({"a", "b", "c.db", "started"} <= set(names), outcome.blocked) == (True, [])
    assert not Path(place).is_relative_to(server.workspace)


def test_scratch_folder_is_gone_when_the_server_has_ended(
    loop: EventLoop, isolation: Isolation, tmp_path: Path
) -> None:
    with sandboxed(loop, tmp_path / "alice", isolation, **SERVER) as server:
        _, place = server.call("run", writes=False, code=WRITE).results
        assert Path(place).is_dir()

    assert not Path(place).exists()


def test_server_that_writes_in_its_home_directory_lists_its_tools(server: SandboxedServer) -> None:
    assert [tool.name for tool in server.client.list_tools()] == ["run"]


def test_limits_of_control_groups_can_be_read_and_their_processes_cannot(
    server: SandboxedServer, isolation: Isolation
) -> None:
    files = [path for path in limits.limit_files() if Path(path).name in LIMITS]
    # Path.rglob fails if a group vanishes meanwhile.
    groups = [folder for folder, _, files in os.walk("/sys/fs/cgroup") if "cgroup.procs" in files]
    lists = [f"{group}/cgroup.procs" for group in groups]
    code = f"""
def opens(path):
    try:
        open(path).close()
    except OSError:
        return False
    return True
result = [sum(map(opens, {files})), list(filter(opens, {lists}))]
"""
    readable, listed = server.call("run", writes=False, code=code).results

    assert readable == len(files)
    assert files or not Path("/sys/fs/cgroup").is_dir()
    assert listed == [] or isolation.level == "process"


@needs_kernel
@pytest.mark.parametrize("name", ["relative", "absolute"])
def test_folder_of_the_script_is_readable_and_that_of_the_configuration_is_not(
    loop: EventLoop, project: Path, name: str
) -> None:
    script = "tools/main.py" if name == "relative" else str(project / "tools/main.py")
    entry: dict[str, object] = {"command": ["python", script]}
    config = project / "mcp.json"

    assert call(loop, config, entry, "import neighbor\nresult = neighbor.VALUE") == 5
    assert call(loop, config, entry, attempt(f"open('{config}').read()")) == "PermissionError"
    assert call(loop, config, entry, attempt(f"open('{project}/secret').read()")) == "PermissionError"
    assert call(loop, config, entry, attempt(f"os.listdir('{project}')")) == "PermissionError"


@needs_kernel
def test_script_beside_the_configuration_reads_its_neighbors_but_no_secrets(loop: EventLoop, project: Path) -> None:
    config = project / "tools/mcp.json"
    (project / "tools/.env").write_text("s3cret")
    entry: dict[str, object] = {"command": "python", "args": ["main.py"]}

    assert call(loop, config, entry, "import neighbor\nresult = neighbor.VALUE") == 5
    assert call(loop, config, entry, attempt(f"open('{config}').read()")) == "PermissionError"
    assert call(loop, config, entry, attempt(f"open('{project}/tools/.env').read()")) == "PermissionError"
    assert call(loop, config, entry, attempt(f"open('{project}/secret').read()")) == "PermissionError"


@needs_kernel
def test_folder_in_the_arguments_can_be_read_and_not_written(loop: EventLoop, project: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.txt").write_text("text")
    entry: dict[str, object] = {"command": ["python", str(project / "tools/main.py"), f"--data={data}"]}
    config = project / "mcp.json"

    assert call(loop, config, entry, attempt(f"open('{data}/a.txt').read()")) == "text"
    assert call(loop, config, entry, attempt(f"open('{data}/b.txt', 'w')")) == "PermissionError"


@needs_kernel
def test_whole_home_directories_are_not_readable_because_a_command_names_them(loop: EventLoop, project: Path) -> None:
    entry: dict[str, object] = {"command": ["python", str(project / "tools/main.py"), "/root", "/tmp", "/"]}

    assert call(loop, project / "mcp.json", entry, attempt("os.listdir('/root')")) == "PermissionError"
    assert call(loop, project / "mcp.json", entry, attempt(f"os.listdir('{project}')")) == "PermissionError"


def test_module_in_the_workspace_is_not_imported_at_the_start(
    loop: EventLoop, isolation: Isolation, tmp_path: Path
) -> None:
    workspace = tmp_path / "alice"
    workspace.mkdir()
    (workspace / "planted.py").write_text("raise SystemExit('loaded')")
    path = [str(EVALUATE.parent), str(MCP_SERVERS)]
    program = "try:\n    import planted\nexcept ImportError:\n    import evaluate.main as m\n    m.server.run()"
    entry = {
        "command": ["python", "-c", program],
        "cwd": None,
        "read_paths": path,
        "env": {"PYTHONPATH": ":".join(path)},
    }
    with sandboxed(loop, workspace, isolation, **entry) as server:
        code = "import os\nresult = os.getcwd()"

        assert server.call("run", code=code).results == str(workspace)


def test_start_that_fails_leaves_no_scratch_folder(
    loop: EventLoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with (
        sandboxed(loop, tmp_path / "alice", LAYERS, command=["python", "-c", "raise SystemExit(3)"]) as server,
        pytest.raises(ToolCrashed),
    ):
        server.client.list_tools()

    assert [path.name for path in tmp_path.iterdir()] == ["alice"]
