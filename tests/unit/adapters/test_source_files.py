"""Recognition of edited servers."""

import os
from pathlib import Path

import pytest

from satchel.adapters import source_files
from satchel.adapters.source_files import source_version
from satchel.domain.servers import ServerEntry


@pytest.fixture
def entry(tmp_path: Path) -> ServerEntry:
    (tmp_path / "main.py").write_text("import helpers.text")
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers/text.py").write_text("TEXT = 1")
    return ServerEntry(command=["python", str(tmp_path / "main.py")])


def later(file: Path, text: str) -> None:
    """Write a file at a time that differs from its last one, whatever the clock's resolution."""
    file.write_text(text)
    os.utime(file, ns=(0, 0))


@pytest.mark.parametrize("name", ["main.py", "helpers/text.py", "new.py", "helpers/new.js"])
def test_version_changes_if_a_program_in_the_folder_of_the_script_changes(
    entry: ServerEntry, tmp_path: Path, name: str
) -> None:
    before = source_version(entry)
    assert before == source_version(entry)
    later(tmp_path / name, "TEXT = 2")
    assert source_version(entry) != before


@pytest.mark.parametrize("name", ["data.csv", "mcp.json", ".hidden.py", "node_modules/a.js", "__pycache__/a.py"])
def test_version_stays_if_other_files_change(entry: ServerEntry, tmp_path: Path, name: str) -> None:
    before = source_version(entry)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    later(tmp_path / name, "2")
    assert source_version(entry) == before


def test_version_covers_the_working_directory_and_a_script_elsewhere(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
        (folder / "main.py").touch()
    entry = ServerEntry(command=["python", str(other / "main.py")], cwd=str(own))
    versions = [source_version(entry)]
    for folder in (own, other):
        later(folder / "main.py", "x = 1")
        versions.append(source_version(entry))
    assert len(set(versions)) == 3


def test_relative_script_belongs_to_the_working_directory(entry: ServerEntry, tmp_path: Path) -> None:
    relative = ServerEntry(command=["python", "-u", "main.py"], cwd=str(tmp_path))
    assert source_version(relative) == source_version(ServerEntry(command=["python", "x"], cwd=str(tmp_path)))
    assert source_version(relative) == source_version(entry)


@pytest.mark.parametrize(
    "entry",
    [
        ServerEntry(command=["npx", "-y", "some-package"]),
        ServerEntry(command=["python", "-m", "some_module"]),
        ServerEntry(command=["server"], cwd="${SATCHEL_WORKSPACE}/project"),
        ServerEntry(command=["python", "/no/such/folder/main.py"]),
        ServerEntry(url="https://tools.example/mcp"),
    ],
)
def test_server_without_source_files_has_no_version(entry: ServerEntry) -> None:
    assert source_version(entry) is None


def test_script_in_a_shared_directory_counts_without_its_neighbors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "main.py").touch()
    entry = ServerEntry(command=["python", str(tmp_path / "main.py")])
    before = source_version(entry)
    (tmp_path / "other.py").touch()
    assert source_version(entry) == before
    later(tmp_path / "main.py", "x = 1")
    assert source_version(entry) != before


def test_number_of_compared_files_is_limited(
    entry: ServerEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_files, "MAX_FILES", 2)
    before = source_version(entry)
    later(tmp_path / "zzz.py", "x = 1")
    assert source_version(entry) == before
