"""Tests of `satchel new-server`: the program, the entry in mcp.json, and the errors."""

import ast
import json
from pathlib import Path

import pytest

from local.cli.new_server import create_server, server_program
from satchel.adapters.server_config import read_registry

CONFIG = """{
  "report": {"command": ["python", "main.py"], "cwd": "report"}
}
"""
Capture = pytest.CaptureFixture[str]


def test_server_is_created_and_appended_to_the_configuration(tmp_path: Path, capsys: Capture) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(CONFIG)
    assert create_server("words", config) == 0

    assert config.read_text().startswith(CONFIG.removesuffix("\n}\n"))
    entry = read_registry(config).servers["words"]
    assert (entry.command, entry.cwd, entry.groups) == (["python", "main.py"], str(tmp_path / "words"), ["users"])
    assert (tmp_path / "words/main.py").read_text() == server_program("words")
    assert "satchel call words.count_words" in capsys.readouterr().out


def test_server_is_created_beside_the_config_folder_of_a_project(tmp_path: Path) -> None:
    config = tmp_path / "config/overrides/mcp.json"
    config.parent.mkdir(parents=True)
    assert create_server("words", config) == 0

    assert (tmp_path / "words/main.py").is_file()
    assert read_registry(config).servers["words"].cwd == str(tmp_path / "words")


def test_server_is_added_to_the_table_of_another_program_and_comments_stay(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    old = """{
  "mcpServers": {
    // the first: {"x"}
    "a": {"command": "npx", "args": ["]}"]}, // and its comment
  },
  "preferences": {"mcpServers": {}}
}
"""
    config.write_text(old)
    assert [create_server(name, config) for name in ("one", "two")] == [0, 0]

    text = config.read_text()
    assert list(read_registry(config).servers) == ["a", "one", "two"]
    assert [line for line in old.splitlines() if line not in text.splitlines()] == []


def test_missing_configuration_is_created(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    assert [create_server(name, config) for name in ("one", "two")] == [0, 0]
    assert list(json.loads(config.read_text())) == ["one", "two"]


@pytest.mark.parametrize("name", ["", "1st", "a b", "a.b", "../up", "a/b", "x" * 41, "né"])
def test_name_that_cannot_be_deployed_is_refused(tmp_path: Path, name: str, capsys: Capture) -> None:
    assert create_server(name, tmp_path / "mcp.json") == 2
    assert list(tmp_path.iterdir()) == []
    assert "cannot be a server's name" in capsys.readouterr().err


def test_existing_server_or_folder_is_not_overwritten(tmp_path: Path, capsys: Capture) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(CONFIG)
    (tmp_path / "notes").mkdir()
    assert [create_server(name, config) for name in ("report", "notes")] == [2, 2]
    assert config.read_text() == CONFIG
    assert capsys.readouterr().err.count("already") == 2


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_invalid_configuration_is_not_changed(tmp_path: Path, text: str) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(text)
    assert create_server("words", config) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mcp.json"]
    assert config.read_text() == text


def test_program_is_valid_python_with_short_lines() -> None:
    program = server_program("words")
    ast.parse(program)
    assert max(map(len, program.splitlines())) <= 120


def test_server_with_an_app_has_a_program_and_a_page(tmp_path: Path, capsys: Capture) -> None:
    assert create_server("words", tmp_path / "mcp.json", app=True) == 0

    program, page = ((tmp_path / "words" / name).read_text() for name in ("main.py", "app.html"))
    ast.parse(program)
    assert 'APP = "ui://words/app.html"' in program
    assert "@NAME@" not in program + page
    assert """words.count_words '{"text": "a b"}'""" in capsys.readouterr().out
