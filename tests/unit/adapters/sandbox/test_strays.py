"""What is new or changed in a few places since a call began."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox.outside_changes import OutsideChanges
from satchel.adapters.workspaces import LocalWorkspaces


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "place"
    place.mkdir()
    return place


@pytest.fixture
def looking(place: Path) -> OutsideChanges:
    return OutsideChanges([str(place), str(place / "absent")], place / "alice")


def test_what_is_new_or_changed_is_told_once_by_its_path(place: Path, looking: OutsideChanges) -> None:
    (place / "folder").mkdir()
    for name in ("as before", "mode", "link away"):
        (place / name).touch()
    looking.begin()
    (place / "new").write_text("x")
    (place / "link").symlink_to("/etc/hosts")
    (place / "mode").chmod(0o640)
    (place / "folder" / "inside").touch()
    (place / "link away").unlink()

    assert sorted(looking.take()) == [str(place / name) for name in ("folder", "link", "mode", "new")]
    assert looking.take() == []


def test_what_changed_before_the_call_is_no_news_of_it(place: Path, looking: OutsideChanges) -> None:
    looking.begin()
    (place / "new").touch()
    looking.begin()

    assert looking.take() == []


def test_what_stands_in_the_place_of_something_else_is_told(place: Path, looking: OutsideChanges) -> None:
    (place / "x").touch()
    (place / "y").touch()
    looking.begin()
    (place / "y").replace(place / "x")

    assert looking.take() == [str(place / "x")]


def test_corners_and_scratch_directories_are_nobodys_strays(place: Path, looking: OutsideChanges) -> None:
    looking.begin()
    (place / "alice").mkdir()
    (place / "satchel-scratch").mkdir()
    with LocalWorkspaces(place).hold("bob", "s1"):
        assert looking.take() == []


def test_what_the_lodging_lies_in_is_no_stray(place: Path) -> None:
    looking = OutsideChanges([str(place)], place / "base" / "alice")
    looking.begin()
    (place / "base" / "alice").mkdir(parents=True)
    (place / "bas").touch()

    assert looking.take() == [str(place / "bas")]


def test_a_place_that_comes_into_being_is_looked_at(place: Path, looking: OutsideChanges) -> None:
    (place / "absent").mkdir()
    (place / "absent").rmdir()
    looking.begin()
    (place / "absent").mkdir()
    (place / "absent" / "x").touch()

    assert sorted(looking.take()) == [str(place / "absent"), str(place / "absent" / "x")]


def test_where_too_much_lies_to_be_seen_whole_nothing_is_told(
    place: Path, looking: OutsideChanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strays, "_MAX_ENTRIES", 2)
    for name in "abc":
        (place / name).touch()
    looking.begin()
    (place / "new").touch()

    assert looking.take() == []


def test_few_of_many_are_told(place: Path, looking: OutsideChanges) -> None:
    looking.begin()
    for number in range(50):
        (place / str(number)).touch()

    assert len(looking.take()) == 20


def test_what_another_user_has_there_is_not_told(
    place: Path, looking: OutsideChanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking.begin()
    (place / "new").touch()
    monkeypatch.setattr(os, "geteuid", lambda: place.stat().st_uid + 1)

    assert looking.take() == []


def test_a_name_that_is_no_text_can_be_told(place: Path, looking: OutsideChanges) -> None:
    looking.begin()
    Path(os.fsdecode(os.fsencode(place) + b"/\xff")).touch()

    assert looking.take() == [f"{place}/\ufffd"]
