"""Tests of `satchel download`: its output, the saved files and the requested byte ranges."""

import os
from pathlib import Path

import httpx2
import pytest

from local.cli.connection import Connection
from local.cli.download import download_file
from tests.unit.cli.fake_file_server import FakeFileServer
from tests.unit.cli.fake_server import file_key

BODY = os.urandom(1000)


@pytest.fixture
def server() -> FakeFileServer:
    server = FakeFileServer()
    server.add_file("year.bin", BODY)
    return server


def download(server: FakeFileServer, name: str, out: Path, delays: list[float] | None = None) -> int:
    delays = [] if delays is None else delays
    connection = Connection("http://satchel.test", transport=httpx2.MockTransport(server), sleep=delays.append)
    return download_file(connection, name, None, out)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["year.bin", file_key(1)])
def test_file_is_saved_by_name_or_key(
    server: FakeFileServer, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert download(server, name, tmp_path) == 0
    assert files_in(tmp_path) == {"year.bin": BODY}
    assert capsys.readouterr() == (f"saved {tmp_path}/year.bin  1KB\n", "")


def test_existing_file_at_the_given_path_is_replaced(
    server: FakeFileServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.bin").write_bytes(b"old")
    assert download(server, "year.bin", tmp_path / "mine.bin") == 0
    assert files_in(tmp_path) == {"mine.bin": BODY}
    assert capsys.readouterr().out.startswith("replaced ")


def test_newest_file_with_exactly_this_name_is_downloaded(server: FakeFileServer, tmp_path: Path) -> None:
    server.add_file("year.bin", b"newer", 2, "2026-03-02T12:00:00Z")
    server.add_file("year.bin.bak", b"other", 3, "2026-03-03T12:00:00Z")
    assert download(server, "year.bin", tmp_path) == 0
    assert files_in(tmp_path) == {"year.bin": b"newer"}


def test_broken_connection_continues_from_the_last_byte(server: FakeFileServer, tmp_path: Path) -> None:
    delays: list[float] = []
    server.cuts = [300, 200, 0]
    assert download(server, "year.bin", tmp_path, delays) == 0
    assert server.ranges == [None, "bytes=300-", "bytes=500-", "bytes=500-"]
    assert files_in(tmp_path) == {"year.bin": BODY}


def test_second_run_resumes_an_unfinished_download(
    server: FakeFileServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.cuts = [300, *[0] * 10]
    assert download(server, "year.bin", tmp_path) == 2
    assert files_in(tmp_path) == {".year.bin.f1.part": BODY[:300]}
    assert capsys.readouterr().err.endswith("Run the same command again to resume.\n")
    server.cuts, server.ranges = [], []

    assert download(server, "year.bin", tmp_path) == 0
    assert server.ranges == ["bytes=300-"]
    assert files_in(tmp_path) == {"year.bin": BODY}


def test_unfinished_download_is_not_continued_with_another_version(server: FakeFileServer, tmp_path: Path) -> None:
    server.cuts = [300, *[0] * 10]
    assert download(server, "year.bin", tmp_path) == 2
    server.cuts, server.ranges, server.etag = [], [], '"f2"'
    server.contents[file_key(1)] = b"newer"

    assert download(server, "year.bin", tmp_path) == 0
    assert server.ranges == [None]
    assert (tmp_path / "year.bin").read_bytes() == b"newer"


@pytest.mark.parametrize("etag", ['"../../x"', '"a/b"', ""])
def test_etag_cannot_change_the_folder(server: FakeFileServer, tmp_path: Path, etag: str) -> None:
    server.etag = etag
    assert download(server, "year.bin", tmp_path) == 0
    assert files_in(tmp_path) == {"year.bin": BODY}


@pytest.mark.parametrize(("name", "error"), [("nope.bin", "You have no file named"), (file_key(9), "no such file")])
def test_missing_file_is_an_error(
    server: FakeFileServer, tmp_path: Path, name: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert download(server, name, tmp_path) == 2
    assert error in capsys.readouterr().err
    assert files_in(tmp_path) == {}


def test_empty_file_is_saved(server: FakeFileServer, tmp_path: Path) -> None:
    server.add_file("empty.csv", b"", 2)
    assert download(server, "empty.csv", tmp_path) == 0
    assert files_in(tmp_path) == {"empty.csv": b""}


def test_missing_folder_is_an_error(server: FakeFileServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert download(server, "year.bin", tmp_path / "nowhere" / "year.bin") == 2
    assert "cannot be written" in capsys.readouterr().err
