import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.tree_removal import empty_directory, remove_tree


def test_empty_directory_removes_all_contents(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    (tmp_path / ".hidden").write_text("x")
    os.mkfifo(tmp_path / "fifo")
    empty_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_targets_of_links_are_not_removed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    (outside / "victim").write_text("x")
    inside.mkdir()
    (inside / "to_folder").symlink_to(outside)
    (inside / "to_file").symlink_to(outside / "victim")
    remove_tree(inside)

    assert not inside.exists()
    assert (outside / "victim").read_text() == "x"


def test_empty_directory_raises_for_a_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "victim").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(NotADirectoryError):
        empty_directory(tmp_path / "link")

    assert (tmp_path / "outside" / "victim").exists()


def test_folders_without_permissions_are_removed(tmp_path: Path) -> None:
    (tmp_path / "shut" / "inner").mkdir(parents=True)
    (tmp_path / "shut" / "inner" / "file").write_text("x")
    (tmp_path / "shut" / "inner").chmod(0)
    (tmp_path / "shut").chmod(0)
    empty_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(fd.name) for fd in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 16, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_descriptors")
def test_depth_needs_no_additional_descriptors(tmp_path: Path) -> None:
    (tmp_path / "/".join("0" * 150)).mkdir(parents=True)
    empty_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_name_collisions_of_moved_folders_are_avoided(tmp_path: Path) -> None:
    for folder in ("0", "1", "a"):
        for inner in ("0", "1", "2"):
            (tmp_path / folder / inner / "deep").mkdir(parents=True)
    empty_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_remove_tree_accepts_a_missing_tree(tmp_path: Path) -> None:
    remove_tree(tmp_path / "nothing")
