"""Workspaces and temporary files that remain after the emulator has stopped."""

import time
import uuid
from pathlib import Path

import pytest

from local.emulator.workspaces import RunFolder, Workspaces
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.domain.ids import SessionId, UserName


def new_user() -> str:
    return f"u{uuid.uuid4().hex[:12]}@example.com"


def test_workspaces_of_all_added_users_are_removed() -> None:
    workspaces, users = Workspaces(), [new_user(), new_user()]
    for user in users:
        with LocalWorkspaces().hold(UserName(user), SessionId("s1")) as home:
            (home / "file").write_text("x")
        workspaces.add(UserName(user))

    assert workspaces.remove_all() == []
    assert not any((Path("/tmp") / user).exists() for user in users)


def test_locked_workspace_is_reported_and_does_not_block() -> None:
    workspaces, user, other = Workspaces(), new_user(), UserName(new_user())
    for each in (user, other):
        workspaces.add(UserName(each))
    area = LocalWorkspaces()
    with area.hold(other, SessionId("s1")):
        pass
    started = time.monotonic()
    with area.hold(UserName(user), SessionId("s1")) as home:
        assert workspaces.remove_all() == [user]
        assert time.monotonic() - started < 3
        assert home.exists()
    assert not (Path("/tmp") / other).exists()
    area.remove(UserName(user))


def test_foreign_directory_is_not_removed() -> None:
    workspaces, user = Workspaces(), new_user()
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

    assert not folder.exists
    assert list(tmp_path.iterdir()) == []


def test_run_folder_keeps_only_non_empty_logs() -> None:
    with RunFolder() as folder:
        (folder.logs / "quiet.log").touch()
        (folder.logs / "loud.log").write_text("it broke")
        (folder.scratch / "file").write_text("x")

    assert folder.exists
    assert [path.name for path in folder.path.rglob("*")] == ["logs", "loud.log"]
