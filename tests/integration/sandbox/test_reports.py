"""Blocked access is reported with its path, for every way of access."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, sandboxed
from tests.integration.sandbox.sandboxed_server import SandboxedServer

PYTHON = ["open", "os", "os.mkdir", "pathlib", "shutil", "sqlite", "numpy", "zipfile"]
NATIVE = ["shell", "program", "sqlite attach", "native", "pyarrow"]


@pytest.fixture(scope="module")
def server(
    loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SandboxedServer]:
    with sandboxed(loop, tmp_path_factory.mktemp("base") / "alice", isolation) as server:
        yield server


@pytest.fixture(scope="module")
def kernel_server(loop: EventLoop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxedServer]:
    with sandboxed(loop, tmp_path_factory.mktemp("base") / "alice", LAYERS) as server:
        yield server


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    directory = tmp_path / "outside"
    directory.mkdir()
    return directory


@pytest.mark.parametrize("way", PYTHON)
def test_blocked_access_from_python_is_reported(server: SandboxedServer, outside: Path, way: str) -> None:
    path = str(outside / ("x.npy" if way == "numpy" else "x"))

    outcome = server.call("reach", way=way, path=path, username="alice")

    assert outcome.blocked == [path]
    assert "outside allowed directory" in outcome.error
    assert list(outside.iterdir()) == []


def test_pandas_reports_the_file_if_it_can_see_the_directory(server: SandboxedServer) -> None:
    outcome = server.call("reach", way="pandas", path="/etc/satchel-x", username="alice")

    assert outcome.blocked == ["/etc/satchel-x"]
    assert "outside allowed directory" in outcome.error
    assert not Path("/etc/satchel-x").exists()


def test_pandas_reports_the_directory_if_it_is_hidden(
    server: SandboxedServer, isolation: Isolation, outside: Path
) -> None:
    outcome = server.call("reach", way="pandas", path=f"{outside}/x", username="alice")

    assert outcome.blocked == [str(outside) if "mounts" in isolation.layers else f"{outside}/x"]
    assert list(outside.iterdir()) == []


@needs_kernel
@pytest.mark.parametrize("way", NATIVE)
def test_blocked_native_access_is_found_in_the_error_text(
    kernel_server: SandboxedServer, outside: Path, way: str
) -> None:
    outcome = kernel_server.call("reach", way=way, path=f"{outside}/x", username="alice")

    assert outcome.blocked == [f"{outside}/x"]
    assert outcome.error
    assert list(outside.iterdir()) == []


@needs_kernel
@pytest.mark.parametrize("way", NATIVE)
def test_blocked_native_write_to_a_readable_directory_is_reported(kernel_server: SandboxedServer, way: str) -> None:
    outcome = kernel_server.call("reach", way=way, path="/etc/satchel-x", username="alice")

    assert outcome.blocked == ["/etc/satchel-x"]


@pytest.mark.parametrize("way", ["read", "list"])
def test_reading_the_workspace_of_another_user_is_reported(server: SandboxedServer, way: str) -> None:
    other = server.workspace.with_name("bob")
    other.mkdir(exist_ok=True)

    assert server.call("reach", way=way, path=str(other), username="alice").blocked == [str(other)]


def test_reading_a_missing_file_of_another_user_is_reported_alike(server: SandboxedServer) -> None:
    missing = server.workspace.with_name("carol") / "file"

    assert server.call("reach", way="read", path=str(missing), username="alice").blocked == [str(missing)]


def test_access_through_a_link_is_reported_with_the_target(server: SandboxedServer, outside: Path) -> None:
    link = server.workspace / f"link-{os.getpid()}"
    link.symlink_to(outside)
    outcome = server.call("reach", way="pathlib", path=f"{link}/x", username="alice")
    link.unlink()

    assert outcome.blocked == [f"{outside}/x"]


def test_access_through_dot_dot_is_reported_with_the_real_path(server: SandboxedServer) -> None:
    outcome = server.call("reach", way="open", path=f"{server.workspace}/../up", username="alice")

    assert outcome.blocked == [f"{server.workspace.parent}/up"]


@pytest.mark.clause("v2.1:isolation:no-username-no-writes")
@pytest.mark.parametrize("way", PYTHON)
def test_tool_without_username_cannot_write_in_the_workspace(server: SandboxedServer, way: str) -> None:
    path = str(server.workspace / ("x.npy" if way == "numpy" else "x"))

    outcome = server.call("reach_as_reader", way=way, path=path, writes=False)

    assert outcome.blocked == [path]
    assert not Path(path).exists()


@needs_kernel
@pytest.mark.clause("v2.1:isolation:no-username-no-writes")
@pytest.mark.parametrize("way", NATIVE)
def test_tool_without_username_cannot_write_natively(kernel_server: SandboxedServer, way: str) -> None:
    path = kernel_server.workspace / "x"

    outcome = kernel_server.call("reach_as_reader", way=way, path=str(path), writes=False)

    assert outcome.blocked == [str(path)]
    assert not path.exists()


def test_tool_without_username_can_read_the_workspace(server: SandboxedServer) -> None:
    (server.workspace / "input").write_text("x")

    outcome = server.call("reach_as_reader", way="read", path=str(server.workspace / "input"), writes=False)

    assert (outcome.results, outcome.blocked) == ("done", [])


def test_tool_that_continues_after_blocked_access_keeps_its_result(server: SandboxedServer, outside: Path) -> None:
    outcome = server.call("reach_and_continue", path=f"{outside}/x", username="alice")

    assert (outcome.results, outcome.blocked) == ("continued", [f"{outside}/x"])


def test_violations_of_an_earlier_call_are_not_reported(server: SandboxedServer, outside: Path) -> None:
    server.call("reach_and_continue", path=f"{outside}/x", username="alice")

    assert server.call("reach", way="open", path=f"{server.workspace}/fine", username="alice").blocked == []


@pytest.mark.parametrize("message", ["no rows", "Permission denied (publickey)", "cannot read /usr/share/none"])
def test_other_failures_are_no_violation(server: SandboxedServer, message: str) -> None:
    assert server.call("fails", message=message, username="alice").blocked == []


@needs_kernel
@pytest.mark.parametrize(
    ("way", "operation"),
    [("read", "read"), ("cat", None), ("open", "write"), ("native", "write"), ("native read", "read")],
)
def test_blocked_access_tells_reading_from_writing(
    kernel_server: SandboxedServer, outside: Path, way: str, operation: str | None
) -> None:
    """Test all ways. The operation of a command is unknown, because only its arguments are."""
    (outside / "data.csv").write_text("1")

    outcome = kernel_server.call("reach", way=way, path=f"{outside}/data.csv", username="alice")

    assert (outcome.blocked, outcome.operations) == ([f"{outside}/data.csv"], [operation])
