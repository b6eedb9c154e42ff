"""What a person sees who downloads, and what goes over the wire."""

import os
from pathlib import Path

import httpx2
import pytest

from local.cli.carry import download_one
from local.cli.talk import Question
from tests.unit.cli.fake_server import file_key
from tests.unit.cli.fake_store import FakeStore

URL = "http://satchel.test"
BODY = os.urandom(1000)


@pytest.fixture
def store() -> FakeStore:
    store = FakeStore()
    store.keep("year.bin", BODY)
    return store


def download(store: FakeStore, wanted: str, out: Path, naps: list[float] | None = None) -> int:
    naps = [] if naps is None else naps
    return download_one(Question(wanted, URL, out=out), transport=httpx2.MockTransport(store), sleep=naps.append)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("wanted", ["year.bin", file_key(1)])
def test_a_file_is_saved_by_its_name_or_its_key(
    store: FakeStore, tmp_path: Path, wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert download(store, wanted, tmp_path) == 0
    assert files_in(tmp_path) == {"year.bin": BODY}
    assert capsys.readouterr() == (f"saved {tmp_path}/year.bin  1KB\n", "")


def test_it_may_be_called_otherwise_here_and_what_was_there_is_replaced(
    store: FakeStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.bin").write_bytes(b"old")
    assert download(store, "year.bin", tmp_path / "mine.bin") == 0
    assert files_in(tmp_path) == {"mine.bin": BODY}
    assert capsys.readouterr().out.startswith("replaced ")


def test_of_several_of_a_name_it_is_the_newest_and_a_longer_name_is_another(store: FakeStore, tmp_path: Path) -> None:
    store.keep("year.bin", b"newer", 2, "2026-03-02T12:00:00Z")
    store.keep("year.bin.bak", b"other", 3, "2026-03-03T12:00:00Z")
    assert download(store, "year.bin", tmp_path) == 0
    assert files_in(tmp_path) == {"year.bin": b"newer"}


def test_a_connection_that_breaks_is_made_again_from_where_it_was(store: FakeStore, tmp_path: Path) -> None:
    naps: list[float] = []
    store.cuts = [300, 200, 0]
    assert download(store, "year.bin", tmp_path, naps) == 0
    assert store.ranges == [None, "bytes=300-", "bytes=500-", "bytes=500-"]
    assert files_in(tmp_path) == {"year.bin": BODY}


def test_broken_off_and_run_again_it_goes_on_where_it_was(
    store: FakeStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.cuts = [300, *[0] * 10]
    assert download(store, "year.bin", tmp_path) == 2
    assert files_in(tmp_path) == {".year.bin.f1.part": BODY[:300]}
    assert capsys.readouterr().err.endswith("Run the same command again to go on where it was.\n")
    store.cuts, store.ranges = [], []

    assert download(store, "year.bin", tmp_path) == 0
    assert store.ranges == ["bytes=300-"]
    assert files_in(tmp_path) == {"year.bin": BODY}


def test_another_version_is_never_put_behind_the_beginning_of_the_one_before(store: FakeStore, tmp_path: Path) -> None:
    store.cuts = [300, *[0] * 10]
    assert download(store, "year.bin", tmp_path) == 2
    store.cuts, store.ranges, store.etag = [], [], '"f2"'
    store.contents[file_key(1)] = b"newer"

    assert download(store, "year.bin", tmp_path) == 0
    assert store.ranges == [None]
    assert (tmp_path / "year.bin").read_bytes() == b"newer"


@pytest.mark.parametrize("etag", ['"../../x"', '"a/b"', ""])
def test_a_strange_etag_reaches_no_other_folder(store: FakeStore, tmp_path: Path, etag: str) -> None:
    store.etag = etag
    assert download(store, "year.bin", tmp_path) == 0
    assert files_in(tmp_path) == {"year.bin": BODY}


@pytest.mark.parametrize(
    ("wanted", "said"), [("nope.bin", "You have no file of the name"), (file_key(9), "no such file")]
)
def test_a_file_that_there_is_not_is_said(
    store: FakeStore, tmp_path: Path, wanted: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert download(store, wanted, tmp_path) == 2
    assert said in capsys.readouterr().err
    assert files_in(tmp_path) == {}


def test_an_empty_file_is_saved(store: FakeStore, tmp_path: Path) -> None:
    store.keep("empty.csv", b"", 2)
    assert download(store, "empty.csv", tmp_path) == 0
    assert files_in(tmp_path) == {"empty.csv": b""}


def test_a_folder_that_is_not_there_is_said(
    store: FakeStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert download(store, "year.bin", tmp_path / "nowhere" / "year.bin") == 2
    assert "cannot be written" in capsys.readouterr().err
