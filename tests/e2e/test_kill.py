"""Start of a system after an earlier one was killed and could not clean up."""

import uuid
from pathlib import Path

from tests.attacks.attack_run import FILE_ACCESS, call
from tests.e2e.system_process import running_system, serve_command
from tests.e2e.user_client import UserClient


def test_start_removes_what_a_killed_system_left(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(f'{{"file_access": {FILE_ACCESS}}}'.replace("'", '"'))
    settings = {"SATCHEL_MCP_CONFIG": str(config), "TMPDIR": str(tmp_path)}
    name = f"u{uuid.uuid4().hex[:12]}@example.com"
    workspace = Path("/tmp") / name
    with running_system(serve_command(), settings=settings) as killed:
        UserClient(killed.url, name).wait_for_tools()
        written = call(UserClient(killed.url, name), "file_access.reach", way="open", path=f"{workspace}/left")
        assert written["results"] == "done"
        killed.kill()
    [folder] = tmp_path.glob("satchel-run-*")
    assert (folder / "scratch").exists()
    assert (workspace / "left").exists()

    with running_system(serve_command(), settings=settings):
        assert not (folder / "scratch").exists()
        assert not workspace.exists()
