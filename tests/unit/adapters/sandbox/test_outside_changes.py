"""Changes in the watched directories since the start of a call."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox import outside_changes
from satchel.adapters.sandbox.outside_changes import OutsideChanges
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.domain.ids import SessionId, UserName


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    watched = tmp_path / "watched"
    watched.mkdir()
    return watched


@pytest.fixture
def changes(watched: Path) -> OutsideChanges:
    return OutsideChanges([str(watched), str(watched / "absent")], watched / "alice")


def test_new_and_changed_entries_are_returned_once(watched: Path, changes: OutsideChanges) -> None:
    (watched / "folder").mkdir()
    for name in ("unchanged", "mode", "removed"):
        (watched / name).touch()
    changes.begin()
    (watched / "new").write_text("x")
    (watched / "link").symlink_to("/etc/hosts")
    (watched / "mode").chmod(0o640)
    (watched / "folder" / "inside").touch()
    (watched / "removed").unlink()

    assert sorted(changes.take()) == [str(watched / name) for name in ("folder", "link", "mode", "new")]
    assert changes.take() == []


def test_changes_before_the_call_are_not_returned(watched: Path, changes: OutsideChanges) -> None:
    changes.begin()
    (watched / "new").touch()
    changes.begin()

    assert changes.take() == []


def test_replaced_entry_is_returned(watched: Path, changes: OutsideChanges) -> None:
    (watched / "x").touch()
    (watched / "y").touch()
    changes.begin()
    (watched / "y").replace(watched / "x")

    assert changes.take() == [str(watched / "x")]


def test_workspaces_and_scratch_directories_are_not_returned(watched: Path, changes: OutsideChanges) -> None:
    changes.begin()
    (watched / "alice").mkdir()
    (watched / "satchel-scratch").mkdir()
    with LocalWorkspaces(watched).hold(UserName("bob"), SessionId("s1")):
        assert changes.take() == []


def test_parents_of_the_runtime_dir_are_not_returned(watched: Path) -> None:
    changes = OutsideChanges([str(watched)], watched / "base" / "alice")
    changes.begin()
    (watched / "base" / "alice").mkdir(parents=True)
    (watched / "bas").touch()

    assert changes.take() == [str(watched / "bas")]


def test_directory_created_during_the_call_is_scanned(watched: Path, changes: OutsideChanges) -> None:
    (watched / "absent").mkdir()
    (watched / "absent").rmdir()
    changes.begin()
    (watched / "absent").mkdir()
    (watched / "absent" / "x").touch()

    assert sorted(changes.take()) == [str(watched / "absent"), str(watched / "absent" / "x")]


def test_nothing_is_returned_for_a_directory_with_too_many_entries(
    watched: Path, changes: OutsideChanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside_changes, "_MAX_ENTRIES", 2)
    for name in "abc":
        (watched / name).touch()
    changes.begin()
    (watched / "new").touch()

    assert changes.take() == []


def test_returned_changes_are_limited_to_20(watched: Path, changes: OutsideChanges) -> None:
    changes.begin()
    for number in range(50):
        (watched / str(number)).touch()

    assert len(changes.take()) == 20


def test_entries_of_another_system_user_are_not_returned(
    watched: Path, changes: OutsideChanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes.begin()
    (watched / "new").touch()
    monkeypatch.setattr(os, "geteuid", lambda: watched.stat().st_uid + 1)

    assert changes.take() == []


def test_undecodable_name_is_returned_with_replacement_characters(watched: Path, changes: OutsideChanges) -> None:
    changes.begin()
    Path(os.fsdecode(os.fsencode(watched) + b"/\xff")).touch()

    assert changes.take() == [f"{watched}/\ufffd"]
