"""Decisions of the guard. tests/integration/sandbox tests it in real servers."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox.guest.guard import READ, WRITE, Guard

FLAGS = os.O_WRONLY | os.O_CREAT


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "alice").mkdir()
    (tmp_path / "bob").mkdir()
    (tmp_path / "allowed").mkdir()
    return tmp_path / "alice"


@pytest.fixture(params=[True, False])
def guard(workspace: Path, request: pytest.FixtureRequest) -> Guard:
    _, pipe = os.pipe2(os.O_NONBLOCK)
    top = workspace.parent
    return Guard(pipe, (f"{workspace}/",), (f"{top}/",), (f"{top}/allowed/",), kernel_enforced=request.param)


def test_writing_is_allowed_in_the_workspace_and_to_devices(guard: Guard, workspace: Path) -> None:
    assert guard.blocked_access("open", (f"{workspace}/x", "w", FLAGS)) is None
    assert guard.blocked_access("open", (os.fsencode(workspace / "x"), "wb", FLAGS)) is None
    assert guard.blocked_access("os.mkdir", (workspace / "folder", 0o777, -1)) is None
    assert guard.blocked_access("open", ("/dev/null", "w", os.O_WRONLY)) is None
    assert guard.blocked_access("open", (7, "w", FLAGS)) is None


def test_changes_outside_the_workspace_are_blocked(guard: Guard, workspace: Path) -> None:
    assert guard.blocked_access("open", ("/etc/x", "w", FLAGS)) == (WRITE, "/etc/x")
    assert guard.blocked_access("open", (f"{workspace}/../bob/x", "w", FLAGS)) == (WRITE, f"{workspace.parent}/bob/x")
    assert guard.blocked_access("open", (f"{workspace}-evil/x", "w", FLAGS)) == (WRITE, f"{workspace}-evil/x")
    assert guard.blocked_access("os.rename", (f"{workspace}/a", "/etc/b", -1, -1)) == (WRITE, "/etc/b")
    assert guard.blocked_access("os.link", ("/etc/hosts", f"{workspace}/second", -1, -1)) is None
    assert guard.blocked_access("os.remove", (f"{workspace.parent}/bob", -1)) == (WRITE, f"{workspace.parent}/bob")


def test_path_relative_to_a_dir_fd_is_resolved(guard: Guard, workspace: Path) -> None:
    fd = os.open(workspace.parent / "bob", os.O_PATH)

    assert guard.blocked_access("os.mkdir", ("x", 0o777, fd)) == (WRITE, f"{workspace.parent}/bob/x")
    os.close(fd)


def test_hidden_paths_are_blocked_whether_they_exist_or_not(guard: Guard, workspace: Path) -> None:
    top = workspace.parent
    assert guard.blocked_access("open", (f"{top}/bob/none", "r", os.O_RDONLY)) == (READ, f"{top}/bob/none")
    assert guard.blocked_access("os.listdir", (str(top),)) == (READ, str(top))
    assert guard.blocked_access("open", (f"{top}/allowed/x", "r", os.O_RDONLY)) is None
    assert guard.blocked_access("open", ("/etc/hosts", "r", os.O_RDONLY)) is None
    assert guard.blocked_access("os.listdir", (None,)) is None


def test_links_are_resolved_if_the_kernel_enforces_nothing(workspace: Path) -> None:
    (workspace / "folder").symlink_to(workspace.parent / "bob")
    (workspace / "dangling").symlink_to("/etc/none")
    _, pipe = os.pipe2(os.O_NONBLOCK)
    guard = Guard(pipe, (f"{workspace}/",), (f"{workspace.parent}/",), (), kernel_enforced=False)

    assert guard.blocked_access("open", (f"{workspace}/folder/x", "w", FLAGS)) == (WRITE, f"{workspace.parent}/bob/x")
    assert guard.blocked_access("open", (f"{workspace}/dangling", "w", FLAGS)) == (WRITE, "/etc/none")
    assert guard.blocked_access("open", (f"{workspace}/folder/x", "r", os.O_RDONLY)) == (
        READ,
        f"{workspace.parent}/bob/x",
    )
    assert guard.blocked_access("os.remove", (f"{workspace}/folder", -1)) is None


def test_new_database_outside_the_workspace_is_blocked(guard: Guard, workspace: Path) -> None:
    assert guard.blocked_access("sqlite3.connect", ("/etc/x.db",)) == (WRITE, "/etc/x.db")
    assert guard.blocked_access("sqlite3.connect", (workspace / "x.db",)) is None
    assert guard.blocked_access("sqlite3.connect", (":memory:",)) is None
    assert guard.blocked_access("sqlite3.connect", ("/etc/hosts",)) is None


def test_access_is_blocked_if_the_report_pipe_is_closed(workspace: Path) -> None:
    reader, writer = os.pipe2(os.O_NONBLOCK)
    os.close(reader)
    os.close(writer)

    guard = Guard(writer, (), (), (), kernel_enforced=True)

    assert guard.blocked_access("open", (f"{workspace}/x", "w", FLAGS)) == (WRITE, f"{workspace}/x")
