import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.tree_removal import empty_directory, remove_tree


def test_everything_goes_and_the_directory_stays(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    (tmp_path / ".hidden").write_text("x")
    os.mkfifo(tmp_path / "fifo")
    empty_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_what_links_point_to_stays(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    inside.mkdir()
    (inside / "to_folder").symlink_to(outside)
    (inside / "to_file").symlink_to(outside / "kept")
    remove_tree(inside)

    assert not inside.exists()
    assert (outside / "kept").read_text() == "x"


def test_a_link_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(NotADirectoryError):
        empty_directory(tmp_path / "link")

    assert (tmp_path / "outside" / "kept").exists()


def test_folders_without_permissions_go(tmp_path: Path) -> None:
    (tmp_path / "shut" / "inner").mkdir(parents=True)
    (tmp_path / "shut" / "inner" / "file").write_text("x")
    (tmp_path / "shut" / "inner").chmod(0)
    (tmp_path / "shut").chmod(0)
    empty_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = max(int(fd.name) for fd in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 16, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_descriptors")
def test_depth_costs_no_descriptors(tmp_path: Path) -> None:
    (tmp_path / "/".join("0" * 150)).mkdir(parents=True)
    empty_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_names_that_meet_do_not_matter(tmp_path: Path) -> None:
    for folder in ("0", "1", "a"):
        for inner in ("0", "1", "2"):
            (tmp_path / folder / inner / "deep").mkdir(parents=True)
    empty_directory(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_a_tree_that_is_not_there_is_removed_already(tmp_path: Path) -> None:
    remove_tree(tmp_path / "nothing")
