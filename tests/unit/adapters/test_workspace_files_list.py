"""The list of files in a workspace, which tools control."""

import os
from pathlib import Path

import pytest

from satchel.adapters import workspace_files
from satchel.adapters.workspace_files import list_files
from satchel.ports.runners import FileState


def write(path: Path, content: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def test_files_are_listed_by_relative_path_with_their_state(tmp_path: Path) -> None:
    files = [write(tmp_path / name, name) for name in ("a.csv", "sub/b.csv", "sub/deep/c.csv")]

    states = [file.stat() for file in files]
    assert list_files(tmp_path) == {
        name: FileState(size=len(name), changed=state.st_mtime_ns, inode=state.st_ino)
        for name, state in zip(("a.csv", "sub/b.csv", "sub/deep/c.csv"), states, strict=True)
    }


def test_files_of_a_folder_are_sorted(tmp_path: Path) -> None:
    for name in ("c", "a", "b", "d"):
        write(tmp_path / name)

    assert list(list_files(tmp_path)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("name", [".hidden", ".satchel/inputs.json", "sub/.hidden", "sub/.git/config"])
def test_name_that_begins_with_a_dot_is_skipped(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    write(tmp_path / "sub" / "z.csv")

    assert list(list_files(tmp_path)) == ["sub/z.csv"]


def test_input_files_are_listed_because_a_tool_may_edit_them(tmp_path: Path) -> None:
    for name in ("input_files/a.csv", "z.csv"):
        write(tmp_path / name)

    assert set(list_files(tmp_path)) == {"input_files/a.csv", "z.csv"}


def test_links_and_special_files_are_skipped(tmp_path: Path) -> None:
    write(tmp_path / "secret" / "key")
    workspace = tmp_path / "alice"
    write(workspace / "z.csv")
    (workspace / "a").symlink_to(tmp_path / "secret" / "key")
    (workspace / "b").symlink_to(tmp_path / "secret")
    os.mkfifo(workspace / "c")

    assert list(list_files(workspace)) == ["z.csv"]


def test_missing_workspace_has_no_files(tmp_path: Path) -> None:
    assert list_files(tmp_path / "gone") == {}


def test_folders_below_the_maximum_depth_are_skipped(tmp_path: Path) -> None:
    allowed = "/".join(["d"] * 20)
    write(tmp_path / allowed / "a.csv")
    write(tmp_path / allowed / "d" / "b.csv")

    assert list(list_files(tmp_path)) == [f"{allowed}/a.csv"]


def test_list_ends_at_the_maximum_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_files, "_MAX_FILES", 3)
    for name in "abcd":
        write(tmp_path / name)

    assert list(list_files(tmp_path)) == ["a", "b", "c"]
