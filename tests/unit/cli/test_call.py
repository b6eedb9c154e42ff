"""What an author sees who calls one tool."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from local.cli.direct import DirectCall, call_tool
from local.cli.talk import Question
from satchel.domain.responses import ToolCallSummary
from tests.unit.cli.fake_server import CALL, FakeServer, artifact, response

Said = pytest.CaptureFixture[str]


def server(**fields: Any) -> FakeServer:  # noqa: ANN401  (fields of the summary)
    summary = ToolCallSummary(**{"call_id": CALL, "tool": "word.count", "server": "word", **fields})
    return FakeServer(response(message="No model is set.", tool_calls=[summary], artifacts=[artifact("a.txt")]))


def call(fake: FakeServer, arguments: str = '{"n": 1}', **more: object) -> int:
    question = Question(message="", url="http://satchel.test", **more)  # type: ignore[arg-type]  # each test's own fields
    transport = httpx2.MockTransport(fake)
    return call_tool(DirectCall("word.count", arguments), question, transport=transport, sleep=lambda _: None)


def test_the_call_is_sent_as_one_line_and_its_results_are_printed(capsys: Said) -> None:
    fake = server(results={"wörds": 3})
    assert call(fake, '{\n  "text": "ä\\nb"\n}') == 0
    assert fake.asked == [{"message": '/word.count {"text": "ä\\nb"}'}]
    told, _, files = capsys.readouterr().out.partition("\nFiles\n")
    assert json.loads(told) == {"results": {"wörds": 3}}
    assert "a.txt" in files


def test_what_is_said_about_the_results_is_printed_too(capsys: Said) -> None:
    call(server(results=1, meta_data={"unresolved_files": {"b.txt": ["a.txt"]}}))
    assert json.loads(capsys.readouterr().out.partition("\nFiles")[0])["meta_data"] == {
        "unresolved_files": {"b.txt": ["a.txt"]}
    }


def test_a_tool_that_failed_is_told_by_its_code(capsys: Said) -> None:
    assert call(server(is_error=True, error_code="E_TIMEOUT", results={"error": "too slow"})) == 1
    assert capsys.readouterr().err == "satchel: word.count failed (E_TIMEOUT)\n"


def test_a_turn_in_which_nothing_was_called_is_no_success() -> None:
    assert call(FakeServer(response())) == 1


@pytest.mark.parametrize("arguments", ["{", "[1]", "3", "hello"])
def test_arguments_that_are_no_object_are_sent_to_nobody(arguments: str, capsys: Said) -> None:
    fake = server()
    assert call(fake, arguments) == 2
    assert fake.requests == []
    assert capsys.readouterr().err.startswith("satchel: The arguments ")


def test_a_server_with_a_model_is_not_asked(capsys: Said) -> None:
    fake = server()
    fake.model = "bedrock:some-model"
    assert call(fake) == 2
    assert fake.asked == []
    assert "has a model (bedrock:some-model)" in capsys.readouterr().err


def test_files_are_brought_and_saved(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("x")
    fake = server()
    fake.contents[artifact("a.txt").file_key] = b"made"
    assert call(fake, files=[tmp_path / "in.txt"], out=tmp_path / "out") == 0
    assert [upload[1] for upload in fake.uploads] == ["in.txt"]
    assert (tmp_path / "out/a.txt").read_bytes() == b"made"
