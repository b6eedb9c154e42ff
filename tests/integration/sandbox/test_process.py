"""State of a sandboxed server process at its start."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import sandboxed
from tests.integration.sandbox.sandboxed_server import SANDBOXED_TOOLS, SandboxedServer


@pytest.fixture(scope="module")
def server(
    loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SandboxedServer]:
    with sandboxed(loop, tmp_path_factory.mktemp("base") / "alice", isolation) as server:
        yield server


def test_process_has_no_privileges_and_no_files_of_the_runner(server: SandboxedServer) -> None:
    assert server.call("about", username="alice").results == {
        "helper": "module in the server's directory",
        "capabilities": "0000000000000000",
        "no_new_privs": "1",
        "umask": "0077",
        "session": True,
        "files": [],
        "main": "__main__",
        "argv": ["main.py"],
        "path": str(SANDBOXED_TOOLS / "file_access"),
        "annotation": "<class 'str'>",
    }


def test_planted_modules_are_not_loaded_by_the_next_start(
    loop: EventLoop, isolation: Isolation, tmp_path: Path
) -> None:
    workspace, marker = tmp_path / "alice", tmp_path / "alice" / "hijacked"
    workspace.mkdir()
    planted = f"open({str(marker)!r}, 'w').close()\n"
    for name in ("json", "sitecustomize", "usercustomize", "helpers"):
        (workspace / f"{name}.py").write_text(planted)
        for folder in (".home/.local/lib/python3.11/site-packages", ".home/.local/lib/python3.12/site-packages"):
            (workspace / folder).mkdir(parents=True, exist_ok=True)
            (workspace / folder / f"{name}.py").write_text(planted)
    with sandboxed(loop, workspace, isolation) as server:
        server.call("about", username="alice")

    assert not marker.exists()


def test_recreated_workspace_gets_a_new_sandbox(loop: EventLoop, isolation: Isolation, tmp_path: Path) -> None:
    workspace = tmp_path / "alice"
    with sandboxed(loop, workspace, isolation) as server:
        server.call("about", username="alice")
        workspace.rename(tmp_path / "gone")
        workspace.mkdir()

        assert server.call("reach", way="open", path=f"{workspace}/x", username="alice").results == "done"
