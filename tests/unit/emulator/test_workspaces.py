"""Workspaces and temporary files that remain after the emulator has stopped."""

import fcntl
import os
import tempfile
import time
import uuid
from pathlib import Path

import pytest

from local.emulator.workspaces import RunFolder, Workspaces
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.domain.ids import SessionId, UserName
from tests.priority import prioritized


def new_user() -> str:
    return f"u{uuid.uuid4().hex[:12]}@example.com"


def test_workspaces_of_all_added_users_are_removed(tmp_path: Path) -> None:
    workspaces, users = Workspaces(tmp_path), [new_user(), new_user()]
    for user in users:
        with LocalWorkspaces().hold(UserName(user), SessionId("s1")) as home:
            (home / "file").write_text("x")
        workspaces.add(UserName(user))

    assert workspaces.remove_all() == []
    assert not any((Path("/tmp") / user).exists() for user in users)


def test_locked_workspace_is_reported_and_does_not_block(tmp_path: Path) -> None:
    workspaces, user, other = Workspaces(tmp_path), new_user(), UserName(new_user())
    for each in (user, other):
        workspaces.add(UserName(each))
    area = LocalWorkspaces()
    with area.hold(other, SessionId("s1")):
        pass
    with area.hold(UserName(user), SessionId("s1")) as home:
        with prioritized():
            started = time.monotonic()
            assert workspaces.remove_all() == [user]
            assert time.monotonic() - started < 3
        assert home.exists()
    assert not (Path("/tmp") / other).exists()
    area.remove(UserName(user))


def test_foreign_directory_is_not_removed(tmp_path: Path) -> None:
    workspaces, user = Workspaces(tmp_path), new_user()
    foreign = Path("/tmp") / user
    foreign.mkdir()
    workspaces.add(UserName(user))
    try:
        workspaces.remove_all()
        assert foreign.exists()
    finally:
        foreign.rmdir()


@pytest.fixture(autouse=True)
def _temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_run_folder_is_removed_if_all_logs_are_empty(tmp_path: Path) -> None:
    with RunFolder() as folder:
        (folder.logs / "quiet.log").touch()
        (folder.scratch / "satchel-x").mkdir()
        (folder.scratch / "satchel-x/big").write_text("x")

    assert not folder.has_logs
    assert list(tmp_path.iterdir()) == []


def test_run_folder_keeps_only_non_empty_logs() -> None:
    with RunFolder() as folder:
        (folder.logs / "quiet.log").touch()
        (folder.logs / "loud.log").write_text("it broke")
        (folder.scratch / "file").write_text("x")

    assert folder.has_logs
    assert [path.name for path in folder.path.rglob("*")] == ["logs", "loud.log"]


def killed_run(user: str) -> RunFolder:
    """Return the folder of an emulator that was killed while a tool of the user ran."""
    folder = RunFolder().__enter__()
    with LocalWorkspaces().hold(UserName(user), SessionId("s1")) as home:
        (home / "file").write_text("x")
    Workspaces(folder.users).add(UserName(user))
    (folder.scratch / "file").write_text("x")
    (folder.logs / "loud.log").write_text("it broke")
    return folder


def test_folder_is_locked_before_another_start_can_find_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = tempfile.mkdtemp

    def find_new_folder(prefix: str) -> str:
        path = make(prefix=prefix)
        for folder in tmp_path.glob("satchel-run-*"):
            fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)  # as another start does
        return path

    monkeypatch.setattr(tempfile, "mkdtemp", find_new_folder)
    with RunFolder() as folder:
        assert folder.lock is not None
        assert folder.path.name.startswith("satchel-run-")


def release(folder: RunFolder) -> None:
    """Release the lock, as the kernel does for a killed process."""
    assert folder.lock is not None
    os.close(folder.lock)


def test_start_removes_files_and_workspaces_of_a_killed_emulator_but_not_its_logs() -> None:
    user = new_user()
    folder = killed_run(user)
    release(folder)
    with RunFolder():
        assert [path.name for path in folder.path.rglob("*")] == ["logs", "loud.log"]
        assert not (Path("/tmp") / user).exists()


def test_workspace_that_was_in_use_at_the_stop_is_removed_by_a_later_start() -> None:
    user = UserName(new_user())
    with RunFolder() as folder, LocalWorkspaces().hold(user, SessionId("s1")) as home:
        workspaces = Workspaces(folder.users)
        workspaces.add(user)
        assert workspaces.remove_all() == [user]
    assert [path.name for path in folder.path.rglob("*")] == ["users", user]
    with RunFolder():
        assert not home.exists()
        assert not folder.path.exists()


def test_removal_of_a_workspace_outlasts_the_wait_for_locked_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspaces, user = Workspaces(tmp_path), UserName(new_user())
    with LocalWorkspaces().hold(user, SessionId("s1")) as home:
        workspaces.add(user)
        for number in range(1000):
            (home / f"{number}.txt").touch()
    monkeypatch.setattr("local.emulator.workspaces._MAX_LOCKED_SECONDS", 0)
    assert workspaces.remove_all() == []
    assert not home.exists()


def test_start_removes_nothing_of_a_living_emulator() -> None:
    user = new_user()
    living = killed_run(user)
    dead = killed_run(user)
    release(dead)
    with RunFolder():
        assert (living.scratch / "file").exists()
        assert (Path("/tmp") / user / "file").exists()
        assert not dead.scratch.exists()
    LocalWorkspaces().remove(UserName(user))
    release(living)


def test_start_removes_logs_that_are_older_than_a_week() -> None:
    user = new_user()
    folder = killed_run(user)
    release(folder)
    os.utime(folder.path, (0, 0))
    with RunFolder():
        assert not folder.path.exists()
