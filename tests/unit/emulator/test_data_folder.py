import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from local.emulator.data import folder as data_folder
from local.emulator.data.folder import VERSION, DataFolder, DataFolderError
from tests.file_systems import read_only

HOLDER = """
import sys
from pathlib import Path
from local.emulator.data.folder import DataFolder
with DataFolder(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_folder_is_private_to_the_system_user(tmp_path: Path) -> None:
    with DataFolder(tmp_path / "new" / "data"):
        pass

    files = [path for path in (tmp_path / "new/data").rglob("*") if path.is_file()]
    assert files
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    assert (tmp_path / "new/data/objects").stat().st_mode & 0o077 == 0


def test_second_process_is_refused_and_the_first_is_named(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(  # noqa: S603  (a fixed program)
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"

        with pytest.raises(DataFolderError, match=f"process {holder.pid} already uses the data folder {tmp_path}"):
            DataFolder(tmp_path).__enter__()
        holder.kill()
        holder.wait()

    with DataFolder(tmp_path) as folder:
        assert folder.read("SELECT * FROM items") == []


def test_folder_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        folder.write([(f"PRAGMA user_version = {VERSION + 1}", ())])

    with pytest.raises(DataFolderError, match=f"newer Satchel wrote {tmp_path} \\(version {VERSION + 1}\\)"):
        DataFolder(tmp_path).__enter__()


def test_folder_of_an_older_version_is_migrated_after_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with DataFolder(tmp_path) as folder:
        folder.write([("INSERT INTO secrets VALUES ('a', 'old')", ())])
    monkeypatch.setattr(data_folder, "VERSION", VERSION + 1)
    monkeypatch.setattr(
        data_folder, "_MIGRATIONS", {VERSION: lambda database: database.execute("UPDATE secrets SET value = 'new'")}
    )

    with DataFolder(tmp_path) as folder:
        assert folder.read("SELECT value FROM secrets") == [("new",)]
        assert folder.read("PRAGMA user_version") == [(VERSION + 1,)]

    backup = sqlite3.connect(tmp_path / f"satchel.version-{VERSION}")
    assert backup.execute("SELECT value FROM secrets").fetchall() == [("old",)]
    backup.close()


def test_failed_migration_leaves_the_older_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def migrate(database: sqlite3.Connection) -> None:
        database.execute("DELETE FROM secrets")
        database.execute("an error")

    with DataFolder(tmp_path) as folder:
        folder.write([("INSERT INTO secrets VALUES ('a', 'old')", ())])
    with monkeypatch.context() as patch:
        patch.setattr(data_folder, "VERSION", VERSION + 1)
        patch.setattr(data_folder, "_MIGRATIONS", {VERSION: migrate})
        with pytest.raises(DataFolderError, match="cannot open"):
            DataFolder(tmp_path).__enter__()

    with DataFolder(tmp_path) as folder:
        assert folder.read("SELECT value FROM secrets") == [("old",)]


def test_damaged_database_is_refused_and_stays_unchanged(tmp_path: Path) -> None:
    (tmp_path / "satchel.sqlite").write_bytes(b"no database" * 1000)

    with pytest.raises(DataFolderError, match="file is not a database"):
        DataFolder(tmp_path).__enter__()

    assert (tmp_path / "satchel.sqlite").read_bytes() == b"no database" * 1000


def test_path_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(DataFolderError, match=f"cannot use the data folder {tmp_path}/file"):
        DataFolder(tmp_path / "file").__enter__()


def test_read_only_folder_is_refused(tmp_path: Path) -> None:
    with DataFolder(tmp_path / "data"):
        pass

    refusal = f"cannot use the data folder {tmp_path}/data: Read-only file system"
    with read_only(tmp_path / "data"), pytest.raises(DataFolderError, match=refusal):
        DataFolder(tmp_path / "data").__enter__()


def test_read_only_database_is_refused(tmp_path: Path) -> None:
    with DataFolder(tmp_path):
        pass

    refusal = f"cannot open {tmp_path}/satchel.sqlite: Read-only file system"
    with read_only(tmp_path / "satchel.sqlite"), pytest.raises(DataFolderError, match=refusal):
        DataFolder(tmp_path).__enter__()


def test_failed_write_changes_nothing_and_later_writes_work(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        with pytest.raises(sqlite3.Error):
            folder.write([("INSERT INTO secrets VALUES ('a', '1')", ()), ("an error", ())])
        folder.write([("INSERT INTO secrets VALUES ('b', '2')", ())])

        assert folder.read("SELECT name FROM secrets") == [("b",)]


def test_write_beyond_the_space_of_the_disk_fails_and_earlier_data_stay(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        folder.write([("INSERT INTO secrets VALUES ('a', '1')", ()), ("PRAGMA max_page_count = 20", ())])
        with pytest.raises(sqlite3.Error, match="full"):
            folder.write([("INSERT INTO secrets VALUES ('b', ?)", ("x" * 200_000,))])
        folder.write([("INSERT INTO secrets VALUES ('c', '3')", ())])

        assert folder.read("SELECT name FROM secrets") == [("a",), ("c",)]
