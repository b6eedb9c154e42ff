"""A new server: its program, its entry, and what stands in the way of it."""

import ast
import json
from pathlib import Path

import pytest

from local.cli.skeleton import main_of, make_server
from satchel.adapters.server_config import read_registry

WRITTEN = """{
  "report": {"command": ["python", "main.py"], "cwd": "report"}
}
"""
Said = pytest.CaptureFixture[str]


def test_a_server_is_written_and_entered_behind_the_others(tmp_path: Path, capsys: Said) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(WRITTEN)
    assert make_server("words", config) == 0

    assert config.read_text().startswith(WRITTEN.removesuffix("\n}\n"))
    entry = read_registry(config).servers["words"]
    assert (entry.command, entry.cwd, entry.groups) == (["python", "main.py"], str(tmp_path / "words"), ["users"])
    assert (tmp_path / "words/main.py").read_text() == main_of("words")
    assert "satchel call words.count_words" in capsys.readouterr().out


def test_without_a_configuration_one_is_begun(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    assert [make_server(name, config) for name in ("one", "two")] == [0, 0]
    assert list(json.loads(config.read_text())) == ["one", "two"]


@pytest.mark.parametrize("name", ["", "1st", "a b", "a.b", "../up", "a/b", "x" * 41, "né"])
def test_a_name_that_could_not_be_deployed_is_refused(tmp_path: Path, name: str, capsys: Said) -> None:
    assert make_server(name, tmp_path / "mcp.json") == 2
    assert list(tmp_path.iterdir()) == []
    assert "cannot be a server's name" in capsys.readouterr().err


def test_nothing_that_is_there_is_overwritten(tmp_path: Path, capsys: Said) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(WRITTEN)
    (tmp_path / "notes").mkdir()
    assert [make_server(name, config) for name in ("report", "notes")] == [2, 2]
    assert config.read_text() == WRITTEN
    assert capsys.readouterr().err.count("already") == 2


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_a_configuration_that_cannot_be_read_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(text)
    assert make_server("words", config) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mcp.json"]
    assert config.read_text() == text


def test_the_program_is_python_with_short_lines() -> None:
    program = main_of("words")
    ast.parse(program)
    assert max(map(len, program.splitlines())) <= 120
