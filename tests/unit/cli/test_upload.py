"""What a person sees who uploads, and what goes over the wire."""

import os
from pathlib import Path

import httpx2
import pytest

from local.cli.carry import upload_all
from local.cli.talk import Question, talk
from tests.unit.cli.fake_server import SESSION, problem
from tests.unit.cli.fake_store import PART, UPLOAD, FakeStore

URL = "http://satchel.test"
GO_ON = "Run the same command again to go on where it was.\n"


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "year.bin"
    path.write_bytes(os.urandom(4 * PART + 7))
    return path


def upload(store: FakeStore, *files: Path, naps: list[float] | None = None, session: str | None = None) -> int:
    naps = [] if naps is None else naps
    asked = Question("", URL, files=files, session=session, user="ann", token="secret")
    return upload_all(asked, transport=httpx2.MockTransport(store), sleep=naps.append)


def test_a_large_file_goes_in_parts_that_make_it_up(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = FakeStore()

    assert upload(store, large, session=SESSION) == 0
    assert store.completed == [large.read_bytes()]
    assert sorted(store.puts) == sorted(store.signed) == [1, 2, 3, 4, 5]
    assert capsys.readouterr() == (f"{UPLOAD}  year.bin  8.4MB\n", "")


def test_a_small_file_goes_in_one_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b")
    store = FakeStore()

    assert upload(store, tmp_path / "a.csv", session=SESSION) == 0
    assert (store.uploads, store.puts) == ([(SESSION, "a.csv", b"a,b")], [])
    assert capsys.readouterr().out.endswith("  a.csv  3B\n")


def test_broken_off_and_run_again_only_what_is_missing_goes_and_is_signed_anew(
    large: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = FakeStore()
    store.put_faults = [problem(403, "no", "E_FORBIDDEN")]
    assert upload(store, large) == 2
    assert store.completed == []
    came = set(store.parts)
    store.puts.clear()
    store.signed.clear()

    assert upload(store, large) == 0
    assert set(store.puts) == set(store.signed) == {1, 2, 3, 4, 5} - came
    assert store.completed == [large.read_bytes()]
    assert capsys.readouterr().err == "satchel: year.bin: no (E_FORBIDDEN)\n"


def test_a_file_that_was_written_to_since_sends_the_parts_that_differ(large: Path) -> None:
    store = FakeStore()
    store.upload = {"upload_id": UPLOAD, "name": "year.bin", "size": 4 * PART + 7, "part_bytes": PART, "part_count": 5}
    body = large.read_bytes()
    store.parts = {number: body[(number - 1) * PART : number * PART] for number in (1, 2, 3)}
    large.write_bytes(body[:PART] + b"!" + body[PART + 1 :])

    assert upload(store, large) == 0
    assert sorted(store.puts) == [2, 4, 5]
    assert store.completed == [large.read_bytes()]


@pytest.mark.parametrize("other", [{"name": "other.bin"}, {"size": 1}, {"session_id": SESSION}])
def test_an_upload_of_another_file_is_not_gone_on_with(large: Path, other: dict[str, object]) -> None:
    store = FakeStore()
    own = {"upload_id": "f2", "name": "year.bin", "size": 4 * PART + 7, "part_bytes": PART, "part_count": 5}
    store.upload = {**own, **other}
    store.parts = {1: b"x"}

    assert upload(store, large) == 0
    assert sorted(store.puts) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("fault", [httpx2.WriteError("cut"), httpx2.Response(503, text="<Error/>")])
def test_a_part_that_does_not_get_through_is_tried_again(
    large: Path, fault: httpx2.Response | httpx2.WriteError
) -> None:
    store, naps = FakeStore(), list[float]()
    store.put_faults = [fault, fault]

    assert upload(store, large, naps=naps) == 0
    assert (len(store.puts), len(naps)) == (7, 2)
    assert store.completed == [large.read_bytes()]


def test_one_that_fails_does_not_keep_the_others(
    tmp_path: Path, large: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b")
    store = FakeStore()
    store.put_faults = [problem(403, "no", "E_FORBIDDEN")] * 4

    assert upload(store, large, tmp_path / "a.csv") == 2
    said = capsys.readouterr()
    assert said.out.endswith("  a.csv  3B\n")
    assert said.err == "satchel: year.bin: no (E_FORBIDDEN)\n"


def test_a_server_that_is_not_there_is_said_with_how_to_go_on(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def nobody(_request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    assert (
        upload_all(Question("", URL, files=[large]), transport=httpx2.MockTransport(nobody), sleep=lambda _: None) == 2
    )
    assert capsys.readouterr().err.endswith(GO_ON)


def test_interrupted_it_ends_at_once_and_says_how_to_go_on(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(request: httpx2.Request) -> httpx2.Response:
        del request
        raise KeyboardInterrupt

    asked = Question("", URL, files=[large])
    assert upload_all(asked, transport=httpx2.MockTransport(interrupt), sleep=lambda _: None) == 130
    assert capsys.readouterr().err == f"satchel: interrupted\n{GO_ON}"


def test_the_file_of_a_question_goes_the_same_way(large: Path) -> None:
    store = FakeStore()
    question = Question("hello", URL, files=[large])

    assert talk(question, transport=httpx2.MockTransport(store), sleep=lambda _: None) == 0
    assert store.completed == [large.read_bytes()]
    assert store.asked == [{"message": "hello", "files": [UPLOAD]}]


def test_progress_is_told_in_lines_where_there_is_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "long.bin"
    path.write_bytes(bytes(20 << 20))

    assert upload(FakeStore(), path) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == "long.bin: 100% (21MB of 21MB)"
    assert 2 <= len(told) <= 10
