"""A server that is not Python: no guard in it, so there are the kernel's word, the tool's own, and a look outside."""

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, walled
from tests.integration.sandbox.walled import SERVERS, Walled

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
ENTRY = {"command": ["node", "main.mjs"], "cwd": str(SERVERS / "node")}


@pytest.fixture(scope="module")
def node(loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walled]:
    with walled(loop, tmp_path_factory.mktemp("base") / "alice", isolation, **ENTRY) as server:
        yield server


def test_honest_work_is_done(node: Walled) -> None:
    written = node.call("reach", way="write", path=f"{node.workspace}/x")
    commanded = node.call("reach", way="command", path=f"{node.workspace}/y")
    read = node.call("reach", way="read", path=f"{node.workspace}/x")

    assert [called.refused for called in (written, commanded, read)] == [[], [], []]
    assert read.results == "x"
    assert (node.workspace / "y").read_text() == "x\n"


@needs_kernel
@pytest.mark.parametrize("way", ["write", "read", "list", "command"])
def test_an_attempt_is_stopped_and_known_by_its_path(loop: EventLoop, tmp_path: Path, way: str) -> None:
    other = tmp_path / "bob"
    other.mkdir()
    wanted = other if way == "list" else other / "x"
    with walled(loop, tmp_path / "alice", LAYERS, **ENTRY) as server:
        called = server.call("reach", way=way, path=str(wanted))

    assert called.refused == [str(wanted)]
    assert called.error
    assert list(other.iterdir()) == []


@needs_kernel
def test_a_tool_without_username_writes_nowhere(loop: EventLoop, tmp_path: Path) -> None:
    with walled(loop, tmp_path / "alice", LAYERS, **ENTRY) as server:
        wanted = server.workspace / "x"
        called = server.call("reach", writes=False, way="write", path=str(wanted))

    assert called.refused == [str(wanted)]
    assert not wanted.exists()


@pytest.fixture
def stray() -> Iterator[Path]:
    path = Path("/tmp", f"stray-{uuid.uuid4()}")
    yield path
    path.unlink(missing_ok=True)


@pytest.mark.parametrize("way", ["write", "command"])
def test_what_nothing_stops_is_seen_afterwards(loop: EventLoop, tmp_path: Path, stray: Path, way: str) -> None:
    with walled(loop, tmp_path / "alice", Isolation(), **ENTRY) as server:
        called = server.call("reach", way=way, path=str(stray))
        later = server.call("reach", way="write", path=f"{server.workspace}/x")

    assert stray.exists()
    assert called.results is not None
    assert str(stray) in called.strayed
    assert called.refused == []
    assert str(stray) not in later.strayed
