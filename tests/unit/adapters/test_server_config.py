import json
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.server_config import (
    ConfigError,
    environment_variables,
    read_registry,
    resolve_python,
    resolve_variables,
)
from satchel.domain.servers import Registry, ServerEntry


def read(folder: Path, entries: object) -> Registry:
    path = folder / "mcp.json"
    path.write_text(json.dumps(entries))
    return read_registry(path)


def resolve(folder: Path, entries: object, server: str, environ: dict[str, str] | None = None) -> ServerEntry:
    """Return a server's entry with its variables resolved, as its runner uses it."""
    entry = read(folder, entries).servers[server]
    return resolve_variables(folder / "mcp.json", server, entry, environment_variables(environ or {}))


@pytest.mark.clause("v4:registry:cwd")
def test_cwd_is_relative_to_the_file(tmp_path: Path) -> None:
    entry = read(tmp_path, {"report": {"command": ["python", "main.py"], "cwd": "report"}}).servers["report"]

    assert (entry.command, entry.cwd) == (["python", "main.py"], str(tmp_path / "report"))


def test_cwd_defaults_to_the_folder_of_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, {"a": {"command": ["python", "x.py"]}}).servers["a"].cwd == str(tmp_path)


@pytest.mark.clause("v4:registry:command")
@pytest.mark.parametrize(
    ("command", "resolved"), [("./serve", "a/serve"), ("bin/serve", "a/bin/serve"), ("/opt/serve", "/opt/serve")]
)
def test_command_with_a_slash_is_relative_to_cwd(tmp_path: Path, command: str, resolved: str) -> None:
    entry = read(tmp_path, {"a": {"command": [command], "cwd": "a"}}).servers["a"]

    assert entry.command == [str(tmp_path / resolved)]


ENTRIES = {
    "far": {"url": "https://${HOST}/mcp", "auth_token": "${TOKEN}"},
    "near": {"command": ["python"], "env": {"KEY": "a-${TOKEN}-b"}},
}
ENVIRONMENT = {"HOST": "example.com", "TOKEN": "s3cret"}


@pytest.mark.clause("v4:registry:variables")
def test_variables_are_replaced_from_the_environment(tmp_path: Path) -> None:
    far, near = (resolve(tmp_path, ENTRIES, server, ENVIRONMENT) for server in ("far", "near"))

    assert (far.url, far.auth_token) == ("https://example.com/mcp", "s3cret")
    assert near.env == {"KEY": "a-s3cret-b"}


def test_read_registry_does_not_resolve_variables(tmp_path: Path) -> None:
    servers = read(tmp_path, ENTRIES).servers

    assert servers["near"].env == {"KEY": "a-${TOKEN}-b"}
    assert (servers["far"].url, servers["far"].auth_token) == ("https://${HOST}/mcp", "${TOKEN}")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"command": ["python"], "colour": "red"}, "server 'bad': colour: Extra inputs are not permitted"),
        ({"cwd": "x"}, "server 'bad': entry: Value error, set either 'command' (stdio) or 'url' (HTTP)"),
        ({"command": []}, "server 'bad': command:"),
        ({"command": ["a"], "max_seconds": 0}, "server 'bad': max_seconds: Input should be greater than 0"),
        (
            {"command": ["a"], "silence_seconds": "long"},
            "server 'bad': silence_seconds: Input should be a valid number",
        ),
        ({"command": ["a"], "notice_seconds": [1, 2, 3]}, "notice_seconds: Value error, set silence_seconds, too"),
        (
            {"command": ["a"], "silence_seconds": 10, "notice_seconds": [5, 8, 12]},
            "server 'bad': notice_seconds: Value error, set three rising times below the silence limit of 10 s",
        ),
        (
            {"command": ["a"], "silence_seconds": 10, "notice_seconds": [5, 8]},
            "server 'bad': notice_seconds.2: Field required",
        ),
        ({"url": "https://x", "auth_token": "${NOPE}"}, "server 'bad': auth_token: the variable NOPE is not set"),
        ({"command": ["a"], "env": {"K": "${NOPE}"}}, "server 'bad': env.K: the variable NOPE is not set"),
    ],
)
def test_error_names_server_and_key(tmp_path: Path, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        resolve(tmp_path, {"good": {"command": ["python"]}, "bad": entry}, "bad")

    assert message in str(raised.value)


def test_error_contains_no_values_that_may_be_secret(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, {"bad": {"url": "https://x", "auth_token": ["s3cret"]}})

    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 3}', "{"])
def test_file_without_a_table_of_servers_is_rejected(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)

    with pytest.raises(ConfigError, match=r"mcp\.json"):
        read_registry(path)


def test_name_of_the_builtin_tools_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"server 'satchel': this name is reserved"):
        read(tmp_path, {"satchel": {"command": ["python"]}})


def test_error_names_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.json"):
        read_registry(tmp_path / "nowhere.json")


def test_disabled_server_is_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, {"off": {"url": "${NOPE}", "enabled": False}}).servers == {}


def test_python_is_replaced_by_the_running_interpreter() -> None:
    assert resolve_python(["python", "main.py"]) == [sys.executable, "main.py"]
    assert resolve_python(["python3"]) == [sys.executable]
    assert resolve_python(["node", "python"]) == ["node", "python"]
