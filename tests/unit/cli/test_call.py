"""Tests of `satchel call`: one tool called without a model."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from local.cli.ask import Question
from local.cli.call import ToolCall, call_tool
from local.cli.connection import Connection
from satchel.domain.responses import ToolCallSummary
from tests.unit.cli.fake_server import CALL, FakeServer, artifact, response

Capture = pytest.CaptureFixture[str]


def server_with_call(**fields: Any) -> FakeServer:  # noqa: ANN401  (fields of the summary)
    summary = ToolCallSummary(**{"call_id": CALL, "tool": "word.count", "server": "word", **fields})
    return FakeServer(response(message="No model is set.", tool_calls=[summary], artifacts=[artifact("a.txt")]))


def call(server: FakeServer, arguments: str = '{"n": 1}', **options: object) -> int:
    question = Question(message="", **options)  # type: ignore[arg-type]  # each test sets fields of its own
    connection = Connection("http://satchel.test", transport=httpx2.MockTransport(server))
    return call_tool(connection, ToolCall("word.count", arguments), question)


def test_call_is_sent_as_one_line_and_its_results_are_printed(capsys: Capture) -> None:
    server = server_with_call(results={"wörds": 3})
    assert call(server, '{\n  "text": "ä\\nb"\n}') == 0
    assert server.turn_requests == [{"message": '/word.count {"text": "ä\\nb"}'}]
    results, _, files = capsys.readouterr().out.partition("\nFiles\n")
    assert json.loads(results) == {"results": {"wörds": 3}}
    assert "a.txt" in files


def test_meta_data_is_printed_with_the_results(capsys: Capture) -> None:
    call(server_with_call(results=1, meta_data={"unresolved_files": {"b.txt": ["a.txt"]}}))
    assert json.loads(capsys.readouterr().out.partition("\nFiles")[0])["meta_data"] == {
        "unresolved_files": {"b.txt": ["a.txt"]}
    }


def test_failed_tool_is_reported_with_its_error_code(capsys: Capture) -> None:
    assert call(server_with_call(is_error=True, error_code="E_TIMEOUT", results={"error": "too slow"})) == 1
    assert capsys.readouterr().err == "satchel: word.count failed (E_TIMEOUT)\n"


def test_turn_without_a_call_exits_with_1() -> None:
    assert call(FakeServer(response())) == 1


@pytest.mark.parametrize("arguments", ["{", "[1]", "3", "hello"])
def test_arguments_other_than_an_object_are_refused_before_any_request(arguments: str, capsys: Capture) -> None:
    server = server_with_call()
    assert call(server, arguments) == 2
    assert server.requests == []
    assert capsys.readouterr().err.startswith("satchel: The arguments ")


def test_server_with_a_model_is_refused(capsys: Capture) -> None:
    server = server_with_call()
    server.model = "bedrock:some-model"
    assert call(server) == 2
    assert server.turn_requests == []
    assert "has a model (bedrock:some-model)" in capsys.readouterr().err


def test_input_files_are_uploaded_and_output_files_are_saved(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("x")
    server = server_with_call()
    server.contents[artifact("a.txt").file_key] = b"made"
    assert call(server, files=[tmp_path / "in.txt"], out=tmp_path / "out") == 0
    assert [upload[1] for upload in server.uploads] == ["in.txt"]
    assert (tmp_path / "out/a.txt").read_bytes() == b"made"
