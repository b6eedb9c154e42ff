"""Server that is not Python and has no guard: violations come from kernel errors and from changes outside."""

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.sandbox import outside_changes
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, sandboxed
from tests.integration.sandbox.sandboxed_server import SANDBOXED_TOOLS, SandboxedServer

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
ENTRY = {"command": ["node", "main.mjs"], "cwd": str(SANDBOXED_TOOLS / "node")}


@pytest.fixture(scope="module")
def node(loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxedServer]:
    with sandboxed(loop, tmp_path_factory.mktemp("base") / "alice", isolation, **ENTRY) as server:
        yield server


def test_access_in_the_workspace_succeeds(node: SandboxedServer) -> None:
    written = node.call("reach", way="write", path=f"{node.workspace}/x")
    commanded = node.call("reach", way="command", path=f"{node.workspace}/y")
    read = node.call("reach", way="read", path=f"{node.workspace}/x")

    assert [outcome.blocked for outcome in (written, commanded, read)] == [[], [], []]
    assert read.results == "x"
    assert (node.workspace / "y").read_text() == "x\n"


@needs_kernel
@pytest.mark.parametrize("way", ["write", "read", "list", "command"])
def test_access_outside_is_blocked_and_reported(loop: EventLoop, tmp_path: Path, way: str) -> None:
    other = tmp_path / "bob"
    other.mkdir()
    path = other if way == "list" else other / "x"
    with sandboxed(loop, tmp_path / "alice", LAYERS, **ENTRY) as server:
        outcome = server.call("reach", way=way, path=str(path))

    assert outcome.blocked == [str(path)]
    assert outcome.error
    assert list(other.iterdir()) == []


@needs_kernel
def test_tool_without_username_can_write_nowhere(loop: EventLoop, tmp_path: Path) -> None:
    with sandboxed(loop, tmp_path / "alice", LAYERS, **ENTRY) as server:
        path = server.workspace / "x"
        outcome = server.call("reach", writes=False, way="write", path=str(path))

    assert outcome.blocked == [str(path)]
    assert not path.exists()


@pytest.fixture
def outside_file(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file in a folder in which other tests write at the same time, so that the limits of the search do not count."""
    for limit in ("_MAX_CHANGES", "_MAX_ENTRIES"):
        monkeypatch.setattr(outside_changes, limit, 100_000)
    path = Path("/tmp", f"outside-{uuid.uuid4()}")
    yield path
    path.unlink(missing_ok=True)


@pytest.mark.parametrize("way", ["write", "command"])
def test_unprotected_change_is_reported_after_the_call(
    loop: EventLoop, tmp_path: Path, outside_file: Path, way: str
) -> None:
    with sandboxed(loop, tmp_path / "alice", Isolation(), **ENTRY) as server:
        outcome = server.call("reach", way=way, path=str(outside_file))
        later = server.call("reach", way="write", path=f"{server.workspace}/x")

    assert outside_file.exists()
    assert outcome.results is not None
    assert str(outside_file) in outcome.changed_outside
    assert outcome.blocked == []
    assert str(outside_file) not in later.changed_outside
