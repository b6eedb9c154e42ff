"""Tests of ``--out``: saving the files of an answer."""

from pathlib import Path

import httpx2
import pytest

from local.cli.ask import Question, ask_question
from local.cli.connection import Connection
from satchel.domain.ids import UserName
from tests.unit.cli.fake_server import FakeServer, artifact, deferred, file_key, response

URL = "http://satchel.test"


def ask(server: FakeServer, out: Path, *, user: UserName | None = None, token: str | None = None) -> int:
    connection = Connection(URL, user=user, token=token, transport=httpx2.MockTransport(server))
    return ask_question(connection, Question("hello", out=out))


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def file_lines(out: str) -> list[str]:
    return [line.strip() for line in out.splitlines() if line.startswith("  ")]


def test_all_files_are_saved_in_a_new_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(response(artifacts=[artifact("a.txt", 1)], deferred_artifacts=[deferred("b.pdf", 2)]))
    server.contents = {file_key(1): b"first", file_key(2): b"second"}
    out = tmp_path / "new" / "folder"

    assert ask(server, out) == 0
    assert files_in(out) == {"a.txt": b"first", "b.pdf": b"second"}
    assert file_lines(capsys.readouterr().out)[:2] == [
        f"a.txt  text/plain  5B  saved {out}/a.txt",
        f"b.pdf  application/pdf  2.1MB  saved {out}/b.pdf",
    ]


def test_files_of_one_answer_never_replace_each_other(tmp_path: Path) -> None:
    names = ["a.txt", "a.txt", "A.TXT", "../a.txt"]
    server = FakeServer(response(artifacts=[artifact(name, number) for number, name in enumerate(names)]))
    server.contents = {file_key(number): str(number).encode() for number in range(4)}

    assert ask(server, tmp_path) == 0
    assert files_in(tmp_path) == {"a.txt": b"0", "a (2).txt": b"1", "A (3).TXT": b"2", "a (4).txt": b"3"}


def test_file_of_an_earlier_answer_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "folder.txt").mkdir()
    server = FakeServer(response(artifacts=[artifact("a.txt", 1), artifact("folder.txt", 2)]))
    server.contents = {file_key(1): b"new", file_key(2): b"beside"}

    assert ask(server, tmp_path) == 0
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert (tmp_path / "folder (2).txt").read_bytes() == b"beside"
    assert file_lines(capsys.readouterr().out) == [
        f"a.txt       text/plain  5B  replaced {tmp_path}/a.txt",
        f"folder.txt  text/plain  5B  saved {tmp_path}/folder (2).txt",
    ]


def test_file_name_cannot_leave_the_folder(tmp_path: Path) -> None:
    names = ["../../escape.txt", "/etc/passwd", "..", ".bashrc", "a\\b.txt"]
    server = FakeServer(response(artifacts=[artifact(name, number) for number, name in enumerate(names)]))
    server.contents = {file_key(number): b"x" for number in range(5)}
    out = tmp_path / "out"

    assert ask(server, out) == 0
    assert sorted(files_in(out)) == ["b.txt", "bashrc", "escape.txt", "file", "passwd"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_missing_file_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without_link = artifact("b.txt", 2).model_copy(update={"download_url": None})
    server = FakeServer(response(artifacts=[artifact("a.txt", 1), without_link, artifact("c.txt", 3)]))
    server.contents = {file_key(3): b"third"}

    assert ask(server, tmp_path) == 2
    assert files_in(tmp_path) == {"c.txt": b"third"}
    assert file_lines(capsys.readouterr().out)[:2] == [
        "a.txt  text/plain  5B  not saved: There is no such file, or the link has expired. (E_FILE_NOT_FOUND)",
        "b.txt  text/plain  5B  not saved: b.txt has no download link: the file was deleted.",
    ]


def test_interrupted_download_leaves_no_partial_file(tmp_path: Path) -> None:
    server = FakeServer(response(artifacts=[artifact("a.txt", 1)]))

    def handle(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, stream=BrokenStream()) if "download" in request.url.path else server(request)

    connection = Connection(URL, transport=httpx2.MockTransport(handle))
    assert ask_question(connection, Question("hello", out=tmp_path)) == 2
    assert files_in(tmp_path) == {}


def test_identity_is_sent_to_the_api_but_not_with_download_links(tmp_path: Path) -> None:
    elsewhere = artifact("b.txt", 2).model_copy(
        update={"download_url": "https://bucket.test/api/files/download/x?token=1"}
    )
    server = FakeServer(response(artifacts=[artifact("a.txt", 1), elsewhere]))
    server.contents = {file_key(1): b"1", "x": b"2"}

    assert ask(server, tmp_path, user=UserName("ann@example.com"), token="secret") == 0
    identities = {
        (r.url.host, "download" in r.url.path, r.headers.get("X-Satchel-User"), r.headers.get("Authorization"))
        for r in server.requests
    }
    assert identities == {
        ("satchel.test", False, "ann@example.com", "Bearer secret"),
        ("satchel.test", True, None, None),
        ("bucket.test", True, None, None),
    }


def test_redirect_to_the_bucket_is_followed(tmp_path: Path) -> None:
    server = FakeServer(response(artifacts=[artifact("a.txt", 1)]))

    def handle(request: httpx2.Request) -> httpx2.Response:
        if request.url.host == "bucket.test":
            return httpx2.Response(200, content=b"from the store")
        if "download" in request.url.path:
            return httpx2.Response(307, headers={"Location": "https://bucket.test/object?X-Amz-Signature=1"})
        return server(request)

    connection = Connection(URL, transport=httpx2.MockTransport(handle))
    assert ask_question(connection, Question("hello", out=tmp_path)) == 0
    assert files_in(tmp_path) == {"a.txt": b"from the store"}


def test_unusable_folder_is_refused_before_any_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_bytes(b"")
    server = FakeServer()

    assert ask(server, tmp_path / "taken") == 2
    assert server.requests == []
    assert capsys.readouterr().err == f"satchel: {tmp_path}/taken cannot be used as a folder: File exists.\n"


class BrokenStream(httpx2.SyncByteStream):
    def __iter__(self):  # type: ignore[no-untyped-def]  # noqa: ANN204
        yield b"half"
        raise httpx2.ReadError("reset")
