"""Tests of `satchel upload`: its output, the uploaded parts, and resuming an interrupted upload."""

import os
from pathlib import Path

import httpx2
import pytest

from local.cli.ask import Question, ask_question
from local.cli.connection import Connection
from local.cli.upload import upload_files
from satchel.domain.ids import SessionId, UserName
from satchel.entrypoints.http import examples
from tests.unit.cli.fake_file_server import PART_BYTES, UPLOAD_ID, FakeFileServer
from tests.unit.cli.fake_server import SESSION, file_key, problem

URL = "http://satchel.test"
RESUME_HINT = "Run the same command again to resume.\n"
UPLOAD = examples.UPLOAD | {
    "upload_id": UPLOAD_ID,
    "name": "year.bin",
    "size": 4 * PART_BYTES + 7,
    "part_bytes": PART_BYTES,
    "part_count": 5,
    "session_id": None,
}


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "year.bin"
    path.write_bytes(os.urandom(4 * PART_BYTES + 7))
    return path


def upload(
    server: FakeFileServer, *files: Path, delays: list[float] | None = None, session: SessionId | None = None
) -> int:
    delays = [] if delays is None else delays
    connection = Connection(
        URL, user=UserName("ann"), token="secret", transport=httpx2.MockTransport(server), sleep=delays.append
    )
    return upload_files(connection, files, session)


def test_large_file_is_uploaded_in_parts(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeFileServer()

    assert upload(server, large, session=SESSION) == 0
    assert server.completed_uploads == [large.read_bytes()]
    assert sorted(server.put_parts) == sorted(server.signed_parts) == [1, 2, 3, 4, 5]
    assert capsys.readouterr() == (f"{UPLOAD_ID}  year.bin  8.4MB\n", "")


def test_small_file_is_uploaded_in_one_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b")
    server = FakeFileServer()

    assert upload(server, tmp_path / "a.csv", session=SESSION) == 0
    assert (server.uploads, server.put_parts) == ([(SESSION, "a.csv", b"a,b")], [])
    assert capsys.readouterr().out.endswith("  a.csv  3B\n")


def test_second_run_signs_and_uploads_only_the_missing_parts(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeFileServer()
    server.put_faults = [problem(403, "no", "E_FORBIDDEN")]
    assert upload(server, large) == 2
    assert server.completed_uploads == []
    stored = set(server.parts)
    server.put_parts.clear()
    server.signed_parts.clear()

    assert upload(server, large) == 0
    assert set(server.put_parts) == set(server.signed_parts) == {1, 2, 3, 4, 5} - stored
    assert server.completed_uploads == [large.read_bytes()]
    assert capsys.readouterr().err == "satchel: year.bin: no (E_FORBIDDEN)\n"


def test_changed_part_of_the_file_is_uploaded_again(large: Path) -> None:
    server = FakeFileServer()
    server.upload = {**UPLOAD}
    body = large.read_bytes()
    server.parts = {number: body[(number - 1) * PART_BYTES : number * PART_BYTES] for number in (1, 2, 3)}
    other = bytes([body[PART_BYTES] ^ 1])  # no constant, because the random byte may have any value
    large.write_bytes(body[:PART_BYTES] + other + body[PART_BYTES + 1 :])

    assert upload(server, large) == 0
    assert sorted(server.put_parts) == [2, 4, 5]
    assert server.completed_uploads == [large.read_bytes()]


@pytest.mark.parametrize("other", [{"name": "other.bin"}, {"size": 1}, {"session_id": SESSION}])
def test_unfinished_upload_of_another_file_is_not_resumed(large: Path, other: dict[str, object]) -> None:
    server = FakeFileServer()
    server.upload = {**UPLOAD, "upload_id": file_key(2), **other}
    server.parts = {1: b"x"}

    assert upload(server, large) == 0
    assert sorted(server.put_parts) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("fault", [httpx2.WriteError("cut"), httpx2.Response(503, text="<Error/>")])
def test_failed_part_is_retried(large: Path, fault: httpx2.Response | httpx2.WriteError) -> None:
    server, delays = FakeFileServer(), list[float]()
    server.put_faults = [fault, fault]

    assert upload(server, large, delays=delays) == 0
    assert (len(server.put_parts), len(delays)) == (7, 2)
    assert server.completed_uploads == [large.read_bytes()]


def test_failed_file_does_not_stop_the_others(tmp_path: Path, large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b")
    server = FakeFileServer()
    server.put_faults = [problem(403, "no", "E_FORBIDDEN")] * 4

    assert upload(server, large, tmp_path / "a.csv") == 2
    output = capsys.readouterr()
    assert output.out.endswith("  a.csv  3B\n")
    assert output.err == "satchel: year.bin: no (E_FORBIDDEN)\n"


def test_unreachable_server_prints_how_to_resume(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(_request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    connection = Connection(URL, transport=httpx2.MockTransport(refuse))
    assert upload_files(connection, [large], None) == 2
    assert capsys.readouterr().err.endswith(RESUME_HINT)


def test_interrupted_upload_stops_and_prints_how_to_resume(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(request: httpx2.Request) -> httpx2.Response:
        del request
        raise KeyboardInterrupt

    connection = Connection(URL, transport=httpx2.MockTransport(interrupt))
    assert upload_files(connection, [large], None) == 130
    assert capsys.readouterr().err == f"satchel: interrupted\n{RESUME_HINT}"


def test_large_file_of_a_question_is_uploaded_in_parts(large: Path) -> None:
    server = FakeFileServer()
    connection = Connection(URL, transport=httpx2.MockTransport(server))

    assert ask_question(connection, Question("hello", files=[large])) == 0
    assert server.completed_uploads == [large.read_bytes()]
    assert server.turn_requests == [{"message": "hello", "files": [UPLOAD_ID]}]


def test_progress_is_printed_as_lines_without_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "long.bin"
    path.write_bytes(bytes(20 << 20))

    assert upload(FakeFileServer(), path) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "long.bin: 100% (21MB of 21MB)"
    assert 2 <= len(lines) <= 10
