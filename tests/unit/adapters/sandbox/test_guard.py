"""What the guard thinks of what an interpreter is about to do; the real thing: tests/integration/sandbox."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox.guest.guard import Guard

WRITE = os.O_WRONLY | os.O_CREAT


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "alice").mkdir()
    (tmp_path / "bob").mkdir()
    (tmp_path / "kept").mkdir()
    return tmp_path / "alice"


@pytest.fixture(params=[True, False])
def guard(home: Path, request: pytest.FixtureRequest) -> Guard:
    _, pipe = os.pipe2(os.O_NONBLOCK)
    top = home.parent
    return Guard(pipe, (f"{home}/",), (f"{top}/",), (f"{top}/kept/",), walled=request.param)


def test_one_may_write_at_home_and_to_devices(guard: Guard, home: Path) -> None:
    assert guard.refused("open", (f"{home}/x", "w", WRITE)) is None
    assert guard.refused("open", (os.fsencode(home / "x"), "wb", WRITE)) is None
    assert guard.refused("os.mkdir", (home / "folder", 0o777, -1)) is None
    assert guard.refused("open", ("/dev/null", "w", os.O_WRONLY)) is None
    assert guard.refused("open", (7, "w", WRITE)) is None


def test_elsewhere_one_may_not(guard: Guard, home: Path) -> None:
    assert guard.refused("open", ("/etc/x", "w", WRITE)) == "/etc/x"
    assert guard.refused("open", (f"{home}/../bob/x", "w", WRITE)) == f"{home.parent}/bob/x"
    assert guard.refused("open", (f"{home}-evil/x", "w", WRITE)) == f"{home}-evil/x"
    assert guard.refused("os.rename", (f"{home}/a", "/etc/b", -1, -1)) == "/etc/b"
    assert guard.refused("os.link", ("/etc/hosts", f"{home}/second", -1, -1)) is None
    assert guard.refused("os.remove", (f"{home.parent}/bob", -1)) == f"{home.parent}/bob"


def test_a_descriptor_of_a_directory_counts(guard: Guard, home: Path) -> None:
    fd = os.open(home.parent / "bob", os.O_PATH)

    assert guard.refused("os.mkdir", ("x", 0o777, fd)) == f"{home.parent}/bob/x"
    os.close(fd)


def test_what_is_hidden_is_not_read_there_or_not(guard: Guard, home: Path) -> None:
    top = home.parent
    assert guard.refused("open", (f"{top}/bob/none", "r", os.O_RDONLY)) == f"{top}/bob/none"
    assert guard.refused("os.listdir", (str(top),)) == str(top)
    assert guard.refused("open", (f"{top}/kept/x", "r", os.O_RDONLY)) is None
    assert guard.refused("open", ("/etc/hosts", "r", os.O_RDONLY)) is None
    assert guard.refused("os.listdir", (None,)) is None


def test_without_a_kernel_that_looks_links_are_followed_here(home: Path) -> None:
    (home / "folder").symlink_to(home.parent / "bob")
    (home / "dangling").symlink_to("/etc/none")
    _, pipe = os.pipe2(os.O_NONBLOCK)
    guard = Guard(pipe, (f"{home}/",), (f"{home.parent}/",), (), walled=False)

    assert guard.refused("open", (f"{home}/folder/x", "w", WRITE)) == f"{home.parent}/bob/x"
    assert guard.refused("open", (f"{home}/dangling", "w", WRITE)) == "/etc/none"
    assert guard.refused("open", (f"{home}/folder/x", "r", os.O_RDONLY)) == f"{home.parent}/bob/x"
    assert guard.refused("os.remove", (f"{home}/folder", -1)) is None


def test_a_database_that_would_be_made_elsewhere_is_refused(guard: Guard, home: Path) -> None:
    assert guard.refused("sqlite3.connect", ("/etc/x.db",)) == "/etc/x.db"
    assert guard.refused("sqlite3.connect", (home / "x.db",)) is None
    assert guard.refused("sqlite3.connect", (":memory:",)) is None
    assert guard.refused("sqlite3.connect", ("/etc/hosts",)) is None


def test_a_pipe_that_is_gone_is_no_reason_to_let_anything_pass(home: Path) -> None:
    reading, writing = os.pipe2(os.O_NONBLOCK)
    os.close(reading)
    os.close(writing)

    assert Guard(writing, (), (), (), walled=True).refused("open", (f"{home}/x", "w", WRITE)) == f"{home}/x"
