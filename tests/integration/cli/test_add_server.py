"""`satchel add-server`: the sources, the trial and the entry, with a real server."""

import json
from pathlib import Path

import pytest

from local.cli.add_server import add_servers, entries_of
from local.cli.errors import NewServerError
from satchel.adapters.server_config import read_registry
from tests.attacks.target import MCP_SERVERS

SERVER = str(MCP_SERVERS / "trial.py")
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("source", "entries"),
    [
        ("mcp-server-time", {"time": {"command": "uvx", "args": ["mcp-server-time"]}}),
        ("pypi:mcp-server-time==1.0", {"time": {"command": "uvx", "args": ["mcp-server-time==1.0"]}}),
        ("npm:left-server", {"left-server": {"command": "npx", "args": ["-y", "left-server"]}}),
        ("@scope/server-memory@1.2", {"memory": {"command": "npx", "args": ["-y", "@scope/server-memory@1.2"]}}),
        ("https://tools.example/mcp", {"tools-example": {"url": "https://tools.example/mcp"}}),
        ("https://x.example:8/sse", {"x-example": {"url": "https://x.example:8/sse", "transport": "sse"}}),
        ('{"mcpServers": {"My server (beta)": {"command": "x"}}}', {"My-server-beta": {"command": "x"}}),
        ('{"mcpServers": {"a": {"command": "x"}, "b": {"url": "y"}}}', {"a": {"command": "x"}, "b": {"url": "y"}}),
    ],
)
def test_source_is_json_a_package_or_a_url(source: str, entries: object) -> None:
    assert entries_of(source, None) == entries


def test_name_replaces_that_of_the_source() -> None:
    assert list(entries_of("mcp-server-time", "clock")) == ["clock"]
    assert entries_of('{"command": "x"}', "clock") == {"clock": {"command": "x"}}
    with pytest.raises(NewServerError, match="add --name"):
        entries_of('{"command": "x"}', None)


def test_server_that_lists_its_tools_is_added_and_the_text_of_the_file_stays(tmp_path: Path, capsys: Capture) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{\n  // mine\n  "old": {"url": "https://x.example"}\n}\n')
    pasted = json.dumps({"mcpServers": {"trial": {"type": "stdio", "command": "python", "args": [SERVER]}}})

    assert add_servers(pasted, None, config) == 0
    assert config.read_text().startswith('{\n  // mine\n  "old": {"url": "https://x.example"},\n')
    assert list(read_registry(config).servers) == ["old", "trial"]
    assert "Added trial to" in capsys.readouterr().out


PASTED = {
    "Claude": '{"mcpServers": {"trial": {"command": "python", "args": ["SERVER"], "env": {"PORT": 8080}}}}',
    "Cursor": """{
      // comments and trailing commas
      "mcpServers": {
        "trial": {"type": "stdio", "command": "python", "args": ["SERVER",], "env": {"A": "${env:HOME}"},},
      },
    }""",
    "VS Code": """{
      "inputs": [{"type": "promptString", "id": "api-key", "password": true}],
      "servers": {"trial": {"type": "stdio", "command": "python", "args": ["SERVER"], "env": {"A": "${input:api-key}"}}}
    }""",
}


@pytest.mark.parametrize("program", PASTED)
def test_pasted_configuration_of_another_program_starts_without_an_edit(
    tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("API_KEY", "s3cret")
    config = tmp_path / "mcp.json"

    assert add_servers(PASTED[program].replace("SERVER", SERVER), None, config) == 0
    assert "Added trial to" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"command": ["python", "-S", "-c", "raise SystemExit('no key')"]}, "exit code 1 before it answered: no key"),
        ({"command": ["python"], "env": {"KEY": "${NO_SUCH_VARIABLE}"}}, "the variable NO_SUCH_VARIABLE is not set"),
        ({"comand": "python"}, "did you mean 'command'?"),
    ],
)
def test_server_that_does_not_start_is_not_added(
    tmp_path: Path, capsys: Capture, entry: dict[str, object], reason: str
) -> None:
    config = tmp_path / "mcp.json"

    assert add_servers(json.dumps({"bad": entry}), None, config) == 1
    assert list(tmp_path.iterdir()) == []
    assert reason in capsys.readouterr().err


def test_existing_server_is_not_replaced(tmp_path: Path, capsys: Capture) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{"trial": {"url": "https://x.example"}}')

    assert add_servers('{"trial": {"command": "python"}}', None, config) == 2
    assert "already exists" in capsys.readouterr().err
