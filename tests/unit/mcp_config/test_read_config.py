"""The forms of configuration files that programs for MCP write, and the problems of their entries."""

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_config import Config, ConfigFileError, read_config
from mcp_config.entries import KEYS
from satchel.domain.servers import ServerEntry

SECRET_HINT = "`auth_token` is sent as bearer token, and `headers` has all other headers"
ENTRY = {"command": ["npx", "-y", "server"]}


def read(folder: Path, content: object) -> Config:
    path = folder / "mcp.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_config(path)


def translated(folder: Path, entry: dict[str, Any]) -> dict[str, Any]:
    config = read(folder, {"a": entry})
    assert config.problems == {}
    return config.entries["a"]


@pytest.mark.parametrize(
    "document",
    [
        {"a": ENTRY},
        {"mcpServers": {"a": {"command": "npx", "args": ["-y", "server"]}}},
        {"inputs": [], "servers": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "server"]}}},
        {"mcp": {"servers": {"a": {"command": "npx", "args": ["-y", "server"]}}}, "editor.tabSize": 2},
        {"$schema": "https://x.example/schema.json", "a": {"command": "npx -y server"}},
    ],
    ids=["flat", "mcpServers", "servers and inputs", "settings", "flat with a schema"],
)
def test_every_layout_has_the_same_entry(tmp_path: Path, document: object) -> None:
    entries = read(tmp_path, document).entries

    assert {name: entry["command"] for name, entry in entries.items()} == {"a": ["npx", "-y", "server"]}


def test_servers_may_have_the_names_of_tables(tmp_path: Path) -> None:
    entries = read(tmp_path, {"servers": ENTRY, "mcpServers": {"url": "https://x.example"}, "mcp": ENTRY}).entries

    assert list(entries) == ["servers", "mcpServers", "mcp"]


def test_keys_beside_the_table_are_warnings(tmp_path: Path) -> None:
    config = read(tmp_path, {"mcpServers": {"a": ENTRY}, "globalShortcut": "", "preferences": {"b": ENTRY}})

    assert list(config.entries) == ["a"]
    assert config.warnings == [
        "globalShortcut: this key has no effect",
        "preferences: this key has no effect",
    ]


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ({"command": "npx", "args": ["-y", "server", "--port", 8080]}, ["npx", "-y", "server", "--port", "8080"]),
        ({"command": "python 'my server.py' --fast"}, ["python", "my server.py", "--fast"]),
        ({"command": "/opt/My Tools/serve", "args": []}, ["/opt/My Tools/serve"]),
        ({"command": ["python"], "args": ["main.py"]}, ["python", "main.py"]),
    ],
)
def test_command_and_arguments_become_one_list(tmp_path: Path, entry: dict[str, Any], command: list[str]) -> None:
    assert translated(tmp_path, entry)["command"] == command


@pytest.mark.parametrize(
    ("fields", "transport"),
    [
        ({"type": "http"}, "http"),
        ({"type": "streamable-http"}, "http"),
        ({"transport": "streamableHttp"}, "http"),
        ({"transport": "STREAMABLE_HTTP"}, "http"),
        ({"type": "sse"}, "sse"),
        ({}, None),
    ],
)
def test_transport_has_many_spellings(tmp_path: Path, fields: dict[str, str], transport: str | None) -> None:
    assert translated(tmp_path, {"url": "https://x.example/mcp", **fields}).get("transport") == transport


@pytest.mark.parametrize("key", ["url", "serverUrl", "httpUrl"])
def test_url_has_many_keys(tmp_path: Path, key: str) -> None:
    assert translated(tmp_path, {key: "https://x.example/mcp"}) == {"url": "https://x.example/mcp"}


def test_numbers_in_the_environment_become_text_and_null_is_left_out(tmp_path: Path) -> None:
    entry = translated(tmp_path, ENTRY | {"env": {"PORT": 8080, "DEBUG": True, "RATE": 0.5, "OFF": None}})

    assert entry["env"] == {"PORT": "8080", "DEBUG": "true", "RATE": "0.5"}


def test_name_with_other_characters_becomes_the_title(tmp_path: Path) -> None:
    config = read(tmp_path, {"DuckDB (in-memory, r/w)": ENTRY, "b c": ENTRY | {"title": "Own"}})

    assert {name: entry["title"] for name, entry in config.entries.items()} == {
        "DuckDB-in-memory-r-w": "DuckDB (in-memory, r/w)",
        "b-c": "Own",
    }
    assert config.problems == {}
    assert config.names >= {"DuckDB (in-memory, r/w)", "DuckDB-in-memory-r-w"}
    assert config.warnings[1] == "server 'b-c': its name in the file is 'b c', and its tools begin with 'b-c'"


@pytest.mark.parametrize("names", [["a b", "a-b"], ["a b", "a+b"]])
def test_names_that_would_become_the_same_are_problems(tmp_path: Path, names: list[str]) -> None:
    config = read(tmp_path, dict.fromkeys(names, ENTRY))

    assert list(config.entries) == names
    assert set(config.problems) == {name for name in names if name != "a-b"}


@pytest.mark.parametrize("fields", [{"disabled": True}, {"enabled": False}, {"enabled": False, "disabled": False}])
def test_disabled_servers_are_left_out_with_their_problems(tmp_path: Path, fields: dict[str, bool]) -> None:
    config = read(tmp_path, {"a": {"comand": "x", **fields}, "b": ENTRY})

    assert (list(config.entries), config.problems, config.warnings) == (["b"], {}, [])
    assert config.names == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("${env:TOKEN}", "${TOKEN}"),
        ("${env:TOKEN:-none}", "${TOKEN:-none}"),
        ("${input:api-key}", "${API_KEY}"),
        ("Bearer ${input:region}", "Bearer ${REGION:-eu}"),
        ("${TOKEN}-${OTHER:-a b}", "${TOKEN}-${OTHER:-a b}"),
        ("${workspaceFolder}/data", "{folder}/data"),
        ("${userHome}/data", "${HOME}/data"),
        ("$${input:x} $PATH ${a%b}", "$${input:x} $PATH ${a%b}"),
    ],
)
def test_placeholders_of_other_programs_are_translated_everywhere(tmp_path: Path, text: str, result: str) -> None:
    inputs = [{"type": "promptString", "id": "api-key"}, {"type": "promptString", "id": "region", "default": "eu"}]
    local = {"command": "x", "args": [text], "env": {"A": text}}
    remote = {"url": f"https://x.example/{text}", "headers": {"X": text}, "auth_token": text}
    config = read(tmp_path, {"inputs": inputs, "servers": {"local": local, "remote": remote}})
    result = result.replace("{folder}", str(tmp_path))

    assert config.problems == {}
    assert config.entries["local"] == {"command": ["x", result], "env": {"A": result}}
    expected = {"url": f"https://x.example/{result}", "headers": {"X": result}, "auth_token": result}
    assert config.entries["remote"] == expected


def test_unknown_keys_are_warnings_that_say_what_to_use(tmp_path: Path) -> None:
    extra = {"author": "Ada", "compliance_level": "Public", "auth_type": "bearer", "timeout": 60, "alwaysAllow": []}
    config = read(tmp_path, {"a": ENTRY | extra})

    assert config.entries == {"a": ENTRY}
    assert config.problems == {}
    assert config.warnings == [
        "server 'a': author: this key has no effect: Satchel has no such key",
        "server 'a': compliance_level: this key has no effect: Satchel has no such key",
        f"server 'a': auth_type: this key has no effect: {SECRET_HINT}",
        "server 'a': timeout: this key has no effect: the time limits are `silence_seconds` and `max_seconds`",
        "server 'a': alwaysAllow: this key has no effect: Satchel asks only before tools that `require_approval` names",
    ]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (3, 'write an object, such as {"command": "npx", "args": ["-y", "package"]} or {"url": "…"}'),
        (ENTRY | {"netwrok": False}, "netwrok: there is no such key; did you mean 'network'?"),
        (ENTRY | {"requireApproval": "*"}, "requireApproval: there is no such key; did you mean 'require_approval'?"),
        ({"args": ["x"]}, "args: set 'command', the program that gets these arguments"),
        ({"command": "x", "args": "y"}, "command: write the program as text and 'args' as a list, or both as one list"),
        ({"command": "say 'hi"}, "command: No closing quotation; write the program and its arguments as a list"),
        (
            {"command": ["x", {}]},
            'command: write at least the program, and each argument as text, such as ["npx", "-y"]',
        ),
        (
            {"url": "https://x", "type": "websocket"},
            "transport: there is no transport 'websocket'; write 'stdio', 'http' or 'sse'",
        ),
        (
            {"url": "https://x", "type": "stdio"},
            "transport: a server with the transport 'stdio' needs 'command'",
        ),
        (ENTRY | {"type": "http"}, "transport: a server with the transport 'http' needs 'url'"),
        (ENTRY | {"env": ["A=1"]}, 'env: write an object of texts, such as {"NAME": "value"}'),
        (ENTRY | {"env": {"A": ["s3cret"]}}, "env.A: write a text"),
        (
            ENTRY | {"env": {"A": "${command:pick}"}},
            "env.A: ${command:pick} is not supported; write ${NAME} and set the variable NAME",
        ),
    ],
)
def test_problem_names_the_key_and_says_what_to_write(tmp_path: Path, entry: object, problem: str) -> None:
    config = read(tmp_path, {"good": ENTRY, "bad": entry})

    assert config.problems == {"bad": [problem]}
    assert config.entries["good"] == ENTRY


def test_all_problems_of_all_servers_are_reported_at_once(tmp_path: Path) -> None:
    config = read(tmp_path, {"a": {"comand": "x", "args": ["y"]}, "/": ENTRY, "d": 1, "e": ENTRY})

    assert {name: len(problems) for name, problems in config.problems.items()} == {"a": 2, "/": 1, "d": 1}


def test_comments_and_trailing_commas_are_accepted(tmp_path: Path) -> None:
    text = """\ufeff{
      // the servers
      "mcpServers": {
        "a": {"command": "npx", "args": ["-y", "server", ], /* all */ "env": {"URL": "http://x//y", "C": "a,]/*b*/"}},
      },
    }"""
    assert read(tmp_path, text).entries["a"]["env"] == {"URL": "http://x//y", "C": "a,]/*b*/"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value: line 1 column 1"),
        ("{\n // note\n oops}", "Expecting property name enclosed in double quotes: line 3 column 2"),
        ("[1]", "the file must be a JSON object"),
    ],
)
def test_file_without_a_table_of_servers_is_an_error_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigFileError, match=message) as raised:
        read(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path}/mcp.json: ")


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:80"])
def test_address_that_is_written_as_this_machine_is_allowed(tmp_path: Path, host: str) -> None:
    url = {"url": f"http://{host}/mcp"}

    assert translated(tmp_path, url)["allow_private"] is True
    assert translated(tmp_path, url | {"allow_private": False})["allow_private"] is False


@pytest.mark.parametrize("host", ["x.example", "10.0.0.1", "${HOST}", "169.254.169.254", "localhost.example"])
def test_other_addresses_are_not_allowed_by_themselves(tmp_path: Path, host: str) -> None:
    assert "allow_private" not in translated(tmp_path, {"url": f"http://{host}/mcp"})


@pytest.mark.parametrize(("folder", "base"), [(".vscode", "."), (".cursor", "."), ("config/overrides", ".")])
def test_workspace_folder_is_the_project_of_the_file(tmp_path: Path, folder: str, base: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    entry = translated(tmp_path / folder, {"command": ["x", "${workspaceFolder}"]})

    assert entry["command"] == ["x", str(tmp_path / base)]


def test_translated_entries_have_the_keys_of_the_registry() -> None:
    assert set(ServerEntry.model_fields) - {"list_paths"} == KEYS
