"""State of a sandboxed server process at its start."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.sandbox.readable_paths import KERNEL_FILES
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import sandboxed
from tests.integration.sandbox.sandboxed_server import SANDBOXED_TOOLS, SandboxedServer

DROP_CACHES = Path("/proc/sys/vm/drop_caches")


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


@pytest.mark.skipif(not os.access(DROP_CACHES, os.W_OK), reason="only root can empty the kernel's caches")
def test_process_can_still_read_its_own_state_if_the_kernel_was_short_of_memory(server: SandboxedServer) -> None:
    paths = [path for path in KERNEL_FILES if Path(path).exists()]
    before = server.call("about", username="alice").results
    DROP_CACHES.write_text("2")  # directories and inodes that are not open
    assert server.call("about", username="alice").results == before
    assert [server.call("reach", way="native read", path=path, username="alice").results for path in paths] == [
        "done"
    ] * len(paths)


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
