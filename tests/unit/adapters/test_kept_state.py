"""The folders in which servers keep the data of their users."""

import os
from pathlib import Path

import pytest

from satchel.adapters.kept_state import KeptState, remove_state
from satchel.contract.errors import ToolFailed
from satchel.domain.ids import UserName

ALICE, BOB = UserName("alice@example.com"), UserName("bob@example.com")


def test_folder_belongs_to_one_user_and_one_server(tmp_path: Path) -> None:
    folders = [
        KeptState(tmp_path, server, 1 << 20).open(user) for server in ("notes", "diary") for user in (ALICE, BOB)
    ]
    assert len(set(folders)) == 4
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}
    (folders[0] / "a").write_text("kept")
    assert (KeptState(tmp_path, "notes", 1 << 20).open(ALICE) / "a").read_text() == "kept"


def test_folder_of_more_bytes_than_allowed_is_refused(tmp_path: Path) -> None:
    state = KeptState(tmp_path, "notes", 1 << 20)
    (state.open(ALICE) / "deep").mkdir()
    (state.open(ALICE) / "deep/large").write_bytes(os.urandom((1 << 20) + 1))
    with pytest.raises(ToolFailed, match="more than 1 MiB"):
        state.open(ALICE)
    assert state.open(BOB).exists()


def test_empty_files_count_too(tmp_path: Path) -> None:
    state = KeptState(tmp_path, "notes", 1 << 20)
    for number in range(257):
        (state.open(ALICE) / str(number)).touch()
    with pytest.raises(ToolFailed):
        state.open(ALICE)


def test_links_are_not_followed_when_sizes_are_added(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/large").write_bytes(os.urandom(2 << 20))
    state = KeptState(tmp_path / "state", "notes", 1 << 20)
    (state.open(ALICE) / "link").symlink_to(tmp_path / "elsewhere")
    assert state.open(ALICE).exists()


def test_removal_deletes_the_folders_of_the_user_on_all_servers_and_no_other(tmp_path: Path) -> None:
    states = [KeptState(tmp_path, server, 1 << 20) for server in ("notes", "diary")]
    for state in states:
        (state.open(ALICE) / "a").touch()
        state.open(BOB)
    remove_state(tmp_path, ALICE)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*@*")) == [
        "diary/bob@example.com",
        "notes/bob@example.com",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diary", "notes"]


def test_interrupted_removal_is_completed_by_the_next(tmp_path: Path) -> None:
    (tmp_path / ".removed-1/sub").mkdir(parents=True)
    remove_state(tmp_path, ALICE)
    assert list(tmp_path.iterdir()) == []


def test_removal_without_any_folder_does_nothing(tmp_path: Path) -> None:
    remove_state(tmp_path / "missing", ALICE)
