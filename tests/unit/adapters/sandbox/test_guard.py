"""What the guard thinks of what an interpreter is about to do; the real thing: tests/integration/sandbox."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox.guest.guard import Guard

WRITE = os.O_WRONLY | os.O_CREAT


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "alice").mkdir()
    (tmp_path / "bob").mkdir()
    (tmp_path / "kept").mkdir()
    return tmp_path / "alice"


@pytest.fixture(params=[True, False])
def guard(workspace: Path, request: pytest.FixtureRequest) -> Guard:
    _, pipe = os.pipe2(os.O_NONBLOCK)
    top = workspace.parent
    return Guard(pipe, (f"{workspace}/",), (f"{top}/",), (f"{top}/kept/",), walled=request.param)


def test_one_may_write_at_home_and_to_devices(guard: Guard, workspace: Path) -> None:
    assert guard.refused("open", (f"{workspace}/x", "w", WRITE)) is None
    assert guard.refused("open", (os.fsencode(workspace / "x"), "wb", WRITE)) is None
    assert guard.refused("os.mkdir", (workspace / "folder", 0o777, -1)) is None
    assert guard.refused("open", ("/dev/null", "w", os.O_WRONLY)) is None
    assert guard.refused("open", (7, "w", WRITE)) is None


def test_elsewhere_one_may_not(guard: Guard, workspace: Path) -> None:
    assert guard.refused("open", ("/etc/x", "w", WRITE)) == "/etc/x"
    assert guard.refused("open", (f"{workspace}/../bob/x", "w", WRITE)) == f"{workspace.parent}/bob/x"
    assert guard.refused("open", (f"{workspace}-evil/x", "w", WRITE)) == f"{workspace}-evil/x"
    assert guard.refused("os.rename", (f"{workspace}/a", "/etc/b", -1, -1)) == "/etc/b"
    assert guard.refused("os.link", ("/etc/hosts", f"{workspace}/second", -1, -1)) is None
    assert guard.refused("os.remove", (f"{workspace.parent}/bob", -1)) == f"{workspace.parent}/bob"


def test_a_descriptor_of_a_directory_counts(guard: Guard, workspace: Path) -> None:
    fd = os.open(workspace.parent / "bob", os.O_PATH)

    assert guard.refused("os.mkdir", ("x", 0o777, fd)) == f"{workspace.parent}/bob/x"
    os.close(fd)


def test_what_is_hidden_is_not_read_there_or_not(guard: Guard, workspace: Path) -> None:
    top = workspace.parent
    assert guard.refused("open", (f"{top}/bob/none", "r", os.O_RDONLY)) == f"{top}/bob/none"
    assert guard.refused("os.listdir", (str(top),)) == str(top)
    assert guard.refused("open", (f"{top}/kept/x", "r", os.O_RDONLY)) is None
    assert guard.refused("open", ("/etc/hosts", "r", os.O_RDONLY)) is None
    assert guard.refused("os.listdir", (None,)) is None


def test_without_a_kernel_that_looks_links_are_followed_here(workspace: Path) -> None:
    (workspace / "folder").symlink_to(workspace.parent / "bob")
    (workspace / "dangling").symlink_to("/etc/none")
    _, pipe = os.pipe2(os.O_NONBLOCK)
    guard = Guard(pipe, (f"{workspace}/",), (f"{workspace.parent}/",), (), walled=False)

    assert guard.refused("open", (f"{workspace}/folder/x", "w", WRITE)) == f"{workspace.parent}/bob/x"
    assert guard.refused("open", (f"{workspace}/dangling", "w", WRITE)) == "/etc/none"
    assert guard.refused("open", (f"{workspace}/folder/x", "r", os.O_RDONLY)) == f"{workspace.parent}/bob/x"
    assert guard.refused("os.remove", (f"{workspace}/folder", -1)) is None


def test_a_database_that_would_be_made_elsewhere_is_refused(guard: Guard, workspace: Path) -> None:
    assert guard.refused("sqlite3.connect", ("/etc/x.db",)) == "/etc/x.db"
    assert guard.refused("sqlite3.connect", (workspace / "x.db",)) is None
    assert guard.refused("sqlite3.connect", (":memory:",)) is None
    assert guard.refused("sqlite3.connect", ("/etc/hosts",)) is None


def test_a_pipe_that_is_gone_is_no_reason_to_let_anything_pass(workspace: Path) -> None:
    reading, writing = os.pipe2(os.O_NONBLOCK)
    os.close(reading)
    os.close(writing)

    assert Guard(writing, (), (), (), walled=True).refused("open", (f"{workspace}/x", "w", WRITE)) == f"{workspace}/x"
