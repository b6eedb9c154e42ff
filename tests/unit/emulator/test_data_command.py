import hashlib
import io
import json
import sqlite3
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from local.cli.main import app
from local.emulator.data.archive import Archive, Content
from local.emulator.data.folder import VERSION, DataFolder

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `satchel data …` with a data folder."""

    def run(folder: Path, *arguments: object) -> Result:
        monkeypatch.setenv("SATCHEL_DATA", str(folder))
        return CliRunner().invoke(app, ["data", *map(str, arguments)], catch_exceptions=False)

    return run


def add_object(folder: DataFolder, key: str, content: bytes, position: int = 0) -> Path:
    name = hashlib.md5(f"{key} {position}".encode(), usedforsecurity=False).hexdigest()
    path = folder.content_path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    state = {
        "last_modified": "2026-01-02T03:04:05",
        "size": len(content),
        "etag": hashlib.md5(content, usedforsecurity=False).hexdigest(),
        "metadata": {"content-type": "text/plain"},
        "storage_class": "STANDARD",
        "checksum": [None, None, None],
        "tags": {"expire-days": "7"},
    }
    row = (position, key, f"v{position}", name, json.dumps(state))
    folder.write([("INSERT INTO objects VALUES (?, ?, ?, ?, ?)", row)])
    return path


def add_item(folder: DataFolder, pk: str, sk: str = "s") -> None:
    attributes = json.dumps({"pk": {"S": pk}, "sk": {"S": sk}})
    folder.write([("INSERT INTO items VALUES (?, ?, ?)", (pk, sk, attributes))])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with one item and three objects, of which two have the same content."""
    with DataFolder(tmp_path / "data") as folder:
        add_item(folder, "USER#ada")
        add_object(folder, "ada/uploads/a.txt", b"old", 0)
        add_object(folder, "ada/uploads/a.txt", b"new", 1)
        add_object(folder, "ada/uploads/b.txt", b"other", 2)
        add_object(folder, "ada/uploads/c.txt", b"new", 3)
    return tmp_path / "data"


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with DataFolder(folder) as opened:
        return opened.read(query)


def replace_member(archive: Path, name: str, content: bytes) -> None:
    """Replace a file of the archive. An empty content removes the file."""
    with tarfile.open(archive) as tar:
        members = [(info, tar.extractfile(info)) for info in tar.getmembers()]
        contents = {info.name: file.read() for info, file in members if file}
    contents[name] = content
    with tarfile.open(archive, "w") as tar:
        for each, value in contents.items():
            if value:
                info = tarfile.TarInfo(each)
                info.size = len(value)
                tar.addfile(info, io.BytesIO(value))


def test_info_counts_the_data(data: Path, run: Run) -> None:
    result = run(data, "info")

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"folder              {data} (version {VERSION})",
        "in use              no",
        "items               1",
        "objects             4 with 14 bytes",
        "unfinished uploads  0 with 0 bytes",
    ]


def test_info_names_the_process_that_uses_the_folder(data: Path, run: Run) -> None:
    with DataFolder(data) as folder:
        add_item(folder, "USER#bob")
        result = run(data, "info")

    assert result.exit_code == 0
    assert "in use              by process " in result.stdout
    assert "items               2\n" in result.stdout


@pytest.mark.parametrize("command", [["info"], ["check"], ["export", "x.tar"], ["vacuum"]])
def test_folder_that_does_not_exist_is_an_error_and_is_not_created(
    command: list[str], tmp_path: Path, run: Run
) -> None:
    result = run(tmp_path / "missing", *command)

    assert (result.exit_code, result.stderr) == (2, f"satchel: there are no data in {tmp_path}/missing\n")
    assert not (tmp_path / "missing").exists()


def test_data_in_memory_are_an_error(run: Run) -> None:
    result = run(Path("memory"), "info")

    assert (result.exit_code, result.stderr) == (2, "satchel: SATCHEL_DATA=memory: there is no data folder\n")


@pytest.mark.parametrize("command", ["check", "vacuum", "export"])
def test_folder_in_use_is_refused(command: str, data: Path, tmp_path: Path, run: Run) -> None:
    arguments = [tmp_path / "x.tar"] if command == "export" else []
    with DataFolder(data):
        result = run(data, command, *arguments)

    assert result.exit_code == 2
    assert "already uses the data folder" in result.stderr


def test_check_of_consistent_data_finds_nothing(data: Path, run: Run) -> None:
    result = run(data, "check")

    assert (result.exit_code, result.stdout) == (0, "0 problems\n")


def test_check_finds_each_problem_and_mend_removes_those_without_content(data: Path, run: Run) -> None:
    with DataFolder(data) as folder:
        add_object(folder, "bob/missing.txt", b"x", 4).unlink()
        add_object(folder, "bob/short.txt", b"long", 5).write_bytes(b"sho")
        add_object(folder, "bob/other.txt", b"same size", 6).write_bytes(b"size same")
    (data / "objects/orphan").write_bytes(b"x")

    found = run(data, "check")
    mended = run(data, "check", "--mend")
    remaining = run(data, "check")

    assert found.exit_code == mended.exit_code == remaining.exit_code == 1
    assert sorted(found.stdout.splitlines()) == [
        "4 problems",
        "missing: bob/missing.txt (a file of bob)",
        "unused file: objects/orphan",
        "wrong content: bob/other.txt (a file of bob)",
        "wrong size: bob/short.txt (a file of bob)",
    ]
    assert "missing: bob/missing.txt (a file of bob), removed\n" in mended.stdout
    assert mended.stdout.endswith("4 problems, 2 mended\n")
    assert sorted(remaining.stdout.splitlines()) == [
        "2 problems",
        "wrong content: bob/other.txt (a file of bob)",
        "wrong size: bob/short.txt (a file of bob)",
    ]
    assert not (data / "objects/orphan").exists()


def test_missing_part_of_an_upload_names_the_key_of_the_upload(data: Path, run: Run) -> None:
    with DataFolder(data) as folder:
        folder.write(
            [
                ("INSERT INTO uploads VALUES ('u', ?)", (json.dumps({"key": "eve/uploads/big"}),)),
                ("INSERT INTO parts VALUES ('u', 1, 'abcd', '{}')", ()),
            ]
        )

    result = run(data, "check", "--mend")

    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "missing: eve/uploads/big (a file of eve), removed",
    )
    assert rows(data, "SELECT * FROM parts") == []


def test_archive_has_the_newest_versions_and_each_content_once(data: Path, tmp_path: Path, run: Run) -> None:
    result = run(data, "export", tmp_path / "x.tar")

    assert (result.exit_code, result.stdout) == (
        0,
        f"exported 1 items and 3 objects with 8 bytes to {tmp_path}/x.tar\n",
    )
    digests = sorted(hashlib.sha256(content).hexdigest() for content in (b"new", b"other"))
    with tarfile.open(tmp_path / "x.tar") as tar:
        names = ["satchel.json", "objects.jsonl", *(f"objects/{digest}" for digest in digests), "items.jsonl"]
        assert tar.getnames() == names
        summary = tar.extractfile("satchel.json")
        assert summary
        assert json.load(summary) == {"format": 1, "items": 1, "objects": 3, "contents": 2, "bytes": 8}
    assert (tmp_path / "x.tar").stat().st_mode & 0o077 == 0
    assert sorted(tmp_path.iterdir()) == [data, tmp_path / "x.tar"]


def test_archive_has_no_secrets_connections_and_deleted_objects(data: Path, tmp_path: Path, run: Run) -> None:
    with DataFolder(data) as folder:
        folder.write([("INSERT INTO secrets VALUES ('signing-keys', 'SECRET')", ())])
        for pk, sk in (("CONN#1", "CONN"), ("TICKET#1", "TICKET"), ("TURN#1", "SUB#1")):
            add_item(folder, pk, sk)
        add_object(folder, "ada/deleted", b"SECRET", 7)
        folder.write([("INSERT INTO objects VALUES (8, 'ada/deleted', 'v8', NULL, '{}')", ())])

    run(data, "export", tmp_path / "x.tar")

    assert b"SECRET" not in (tmp_path / "x.tar").read_bytes()
    with Archive(tmp_path / "x.tar") as archive:
        assert sum(len(content.objects) for content in archive.contents()) == 3
        assert [item["pk"]["S"] for item in archive.items()] == ["USER#ada"]


def test_export_does_not_overwrite_a_file(data: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "x.tar").write_text("mine")

    result = run(data, "export", tmp_path / "x.tar")

    assert (result.exit_code, result.stderr) == (2, f"satchel: {tmp_path}/x.tar already exists\n")
    assert (tmp_path / "x.tar").read_text() == "mine"


def test_export_with_a_missing_content_fails_and_leaves_no_file(data: Path, tmp_path: Path, run: Run) -> None:
    with DataFolder(data) as folder:
        add_object(folder, "bob/missing.txt", b"x", 4).unlink()

    result = run(data, "export", tmp_path / "x.tar")

    assert result.exit_code == 2
    assert "the content of bob/missing.txt is missing or damaged" in result.stderr
    assert list(tmp_path.iterdir()) == [data]


def test_imported_folder_has_the_exported_rows_and_contents(data: Path, tmp_path: Path, run: Run) -> None:
    run(data, "export", tmp_path / "x.tar")

    result = run(tmp_path / "new", "import", tmp_path / "x.tar")

    assert (result.exit_code, result.stdout) == (
        0,
        f"imported 1 items and 3 objects with 8 bytes into {tmp_path}/new\n",
    )
    assert rows(tmp_path / "new", "SELECT * FROM items") == rows(data, "SELECT * FROM items")
    query = "SELECT key, version, state FROM objects WHERE version != 'v0' ORDER BY key"
    assert rows(tmp_path / "new", query) == rows(data, query)
    assert run(tmp_path / "new", "check").stdout == "0 problems\n"


def test_import_into_a_folder_with_data_is_refused(data: Path, tmp_path: Path, run: Run) -> None:
    run(data, "export", tmp_path / "x.tar")

    result = run(data, "import", tmp_path / "x.tar")

    assert result.exit_code == 2
    assert f"{data} already has data" in result.stderr


@pytest.mark.parametrize(
    ("member", "content", "message"),
    [
        (f"objects/{hashlib.sha256(b'new').hexdigest()}", b"bad", "the hash of ada/uploads/a.txt is wrong"),
        (f"objects/{hashlib.sha256(b'new').hexdigest()}", b"longer", "the size of ada/uploads/a.txt is wrong"),
        (f"objects/{hashlib.sha256(b'other').hexdigest()}", b"", "is missing"),
        ("items.jsonl", b"", "items.jsonl is missing"),
        ("items.jsonl", b"{}\n", "an item has no key"),
        ("items.jsonl", b"no json\n", "is damaged"),
        ("objects.jsonl", b"{}\n", "is damaged"),
        (
            "objects.jsonl",
            json.dumps({"sha256": hashlib.sha256(b"new").hexdigest(), "size": 3}).encode(),
            "an object has no checksum",
        ),
        ("satchel.json", b'{"format": 1, "items": 2, "objects": 3, "contents": 2, "bytes": 8}', "1 items instead of 2"),
        ("satchel.json", b'{"format": 2}', "a newer Satchel wrote"),
        ("satchel.json", b"[]", "is no archive of Satchel"),
    ],
)
def test_damaged_archive_is_refused_and_imports_nothing(
    member: str, content: bytes, message: str, data: Path, tmp_path: Path, run: Run
) -> None:
    run(data, "export", tmp_path / "x.tar")
    replace_member(tmp_path / "x.tar", member, content)

    result = run(tmp_path / "new", "import", tmp_path / "x.tar")

    assert result.exit_code == 2
    assert message in result.stderr
    if (tmp_path / "new").exists():
        assert rows(tmp_path / "new", "SELECT key FROM objects UNION ALL SELECT pk FROM items") == []


def test_truncated_archive_is_refused_at_each_block_and_imports_nothing(data: Path, tmp_path: Path, run: Run) -> None:
    run(data, "export", tmp_path / "x.tar")
    with tarfile.open(tmp_path / "x.tar") as tar:
        last = tar.getmember("items.jsonl")
    content = (tmp_path / "x.tar").read_bytes()

    for size in range(0, last.offset_data + last.size, 256):
        (tmp_path / "cut.tar").write_bytes(content[:size])
        result = run(tmp_path / "new", "import", tmp_path / "cut.tar")

        assert result.exit_code == 2, size
    assert rows(tmp_path / "new", "SELECT key FROM objects UNION ALL SELECT pk FROM items") == []


def test_file_that_is_no_archive_is_refused(tmp_path: Path, run: Run) -> None:
    (tmp_path / "x.tar").write_text("text")

    result = run(tmp_path / "new", "import", tmp_path / "x.tar")

    assert (result.exit_code, result.stderr) == (2, f"satchel: {tmp_path}/x.tar is no archive of Satchel\n")
    assert not (tmp_path / "new").exists()


def test_repeated_import_copies_only_the_contents_that_are_missing_or_damaged(
    data: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(data, "export", tmp_path / "x.tar")
    run(tmp_path / "new", "import", tmp_path / "x.tar")
    with DataFolder(tmp_path / "new") as folder:
        folder.write([("DELETE FROM items", ()), ("DELETE FROM objects", ())])
    files = {path: path.read_bytes() for path in (tmp_path / "new/objects").rglob("*") if path.is_file()}
    [other] = [path for path, content in files.items() if content == b"other"]
    other.write_bytes(b"OTHER")
    stored: list[bytes] = []
    read = Content.pieces

    def pieces(content: Content) -> list[bytes]:
        found = list(read(content))
        stored.extend(found)
        return found

    monkeypatch.setattr(Content, "pieces", pieces)
    result = run(tmp_path / "new", "import", tmp_path / "x.tar")

    assert result.exit_code == 0
    assert stored == [b"other"]
    assert {path: path.read_bytes() for path in files} == files


def test_vacuum_removes_unused_files_and_compacts_the_database(data: Path, run: Run) -> None:
    with DataFolder(data) as folder:
        folder.write([("INSERT INTO secrets VALUES ('a', ?)", ("x" * 1_000_000,))])
        folder.write([("DELETE FROM secrets", ())])
    (data / "objects/orphan").write_bytes(b"x" * 1000)

    result = run(data, "vacuum")

    assert result.exit_code == 0
    assert result.stdout.startswith("freed 1,0")
    assert not (data / "objects/orphan").exists()
    with sqlite3.connect(data / "satchel.sqlite") as database:
        assert database.execute("PRAGMA freelist_count").fetchone() == (0,)
