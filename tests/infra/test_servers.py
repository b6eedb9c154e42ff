"""The servers of an mcp.json that are deployed, and the errors for servers that cannot run on Lambda."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra.servers import Servers, UndeployableError
from satchel.adapters.server_config import read_registry

PYTHON = ["python", "main.py"]


def write_config(root: Path, entries: object) -> Servers:
    (root / "mcp.json").write_text(json.dumps(entries))
    return Servers(root)


def test_enabled_servers_are_split_into_stdio_and_remote(tmp_path: Path) -> None:
    servers = write_config(
        tmp_path,
        {
            "b": {"command": PYTHON, "memory_mb": 256},
            "a": {"command": PYTHON},
            "away": {"url": "https://tools.example"},
            "off": {"command": PYTHON, "enabled": False},
            "local_only": {"command": ["npx", "server"], "deploy": False},
        },
    )
    assert {name: server.memory_mb for name, server in servers.stdio.items()} == {"a": 1024, "b": 256}
    assert servers.remote.keys() == {"away"}
    assert list(servers.entries) == ["a", "away", "b"]


def test_runtime_entries_have_no_deployment_keys(tmp_path: Path) -> None:
    (tmp_path / "pins.txt").write_text("")
    entry = {"command": PYTHON, "requirements": "pins.txt", "deploy": True, "enabled": True, "groups": ["users"]}
    assert write_config(tmp_path, {"a": entry}).entries == {"a": {"command": PYTHON, "groups": ["users"]}}


@pytest.mark.parametrize(
    "entry",
    ['"a.b": {"command": ["python"]}', '"": {"command": ["python"]}', '"a": {"command": []}', '"a": {"comand": "x"}'],
)
def test_malformed_entry_is_rejected(tmp_path: Path, entry: str) -> None:
    (tmp_path / "mcp.json").write_text(f"{{{entry}}}")
    with pytest.raises(UndeployableError):
        Servers(tmp_path)


def test_file_that_is_not_json_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text("{")
    with pytest.raises(UndeployableError, match="line 1 column 2"):
        Servers(tmp_path)


def test_configuration_of_another_program_is_deployed_as_plain_entries(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text("""{
      // a comment
      "inputs": [{"id": "api-key"}],
      "servers": {
        "a": {"type": "stdio", "command": "python", "args": ["main.py", "${workspaceFolder}"], "env": {"PORT": 80}},
        "b": {"type": "http", "url": "https://x.example", "headers": {"X-Key": "${input:api-key}"}, "version": "1"},
        "c": {"command": "docker", "disabled": true},
      },
    }""")
    servers = Servers(tmp_path)

    assert servers.entries == {
        "a": {"command": ["python", "main.py", "/opt/servers"], "env": {"PORT": "80"}, "transport": "stdio"},
        "b": {"transport": "http", "url": "https://x.example", "headers": {"X-Key": "${API_KEY}"}},
    }
    assert servers.all["b"].variables == {"API_KEY"}
    assert servers.warnings == ["server 'b': version: this key has no effect: Satchel has no such key"]


def test_variable_with_a_default_needs_no_secret(tmp_path: Path) -> None:
    servers = write_config(tmp_path, {"a": {"command": [*PYTHON, "${X:-1}"], "env": {"Y": "${Y}"}}})

    assert (servers.all["a"].variables, servers.all["a"].required_variables) == ({"X", "Y"}, {"Y"})


def test_max_seconds_above_the_limit_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UndeployableError, match="slow: max_seconds: Input should be less than or equal to 840"):
        write_config(tmp_path, {"slow": {"command": PYTHON, "max_seconds": 841}})


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (
            {"command": ["npx", "-y", "server"]},
            "npx cannot install packages in a function: pin them (`npm install --pack",
        ),
        ({"command": ["uvx", "server"]}, "uvx cannot install packages in a function: pin them (`uv pip compile --univ"),
        ({"command": ["./serve"]}, "a function cannot start the command './serve', only python, uvx, node and npx"),
        ({"command": ["/usr/bin/python3", "main.py"]}, "cannot start the command '/usr/bin/python3'"),
        ({"command": ["python", "-I", "main.py"]}, "with -I, Python does not find the server's packages"),
        ({"command": ["python", "-uS", "main.py"]}, "with -uS, Python does not find the server's packages"),
        ({"url": "https://x.example", "vpc": False}, "servers behind a URL share a function"),
        ({"command": PYTHON, "network": False}, "'network: false' cannot be enforced"),
        ({"command": PYTHON, "writes": "keep"}, "'writes: keep' is not possible"),
        ({"command": PYTHON, "cwd": "/srv/tools"}, "cwd '/srv/tools' is outside /"),
        ({"command": PYTHON, "cwd": "../tools"}, "cwd '../tools' is outside /"),
        ({"command": PYTHON, "cwd": "absent"}, " has no directory 'absent'"),
        ({"command": PYTHON, "requirements": "absent.txt"}, " has no file 'absent.txt'"),
        ({"command": PYTHON, "read_paths": ["../data"]}, "read_paths: '../data' is outside /"),
    ],
)
def test_undeployable_server_is_rejected_with_its_reason(tmp_path: Path, entry: dict[str, Any], reason: str) -> None:
    with pytest.raises(UndeployableError) as raised:
        write_config(tmp_path, {"good": {"command": PYTHON}, "odd": entry})
    first, problem = str(raised.value).splitlines()
    assert first == f'{tmp_path}/mcp.json has servers that cannot be deployed ("deploy": false excludes one):'
    assert problem.startswith("  odd: ")
    assert reason in problem
    assert write_config(tmp_path, {"odd": entry | {"deploy": False}}).entries == {}


def test_server_without_network_is_deployed_if_its_entry_accepts_the_network(tmp_path: Path) -> None:
    entry = {"command": PYTHON, "network": False, "deploy": "with_network"}

    assert write_config(tmp_path, {"reader": entry}).entries["reader"]["network"] is False


def test_packages_in_a_folder_of_a_node_server_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    with pytest.raises(UndeployableError, match=r"name the package-lock\.json of '\.' in 'requirements'"):
        write_config(tmp_path, {"a": {"command": ["node", "main.mjs"], "cwd": "."}})


def test_published_server_has_no_files_unless_it_has_a_folder(tmp_path: Path) -> None:
    (tmp_path / "pins.txt").write_text("server==1 --hash=sha256:1\n")
    (tmp_path / "own").mkdir()
    entry = {"command": ["uvx", "server"], "requirements": "pins.txt"}
    servers = write_config(tmp_path, {"a": entry, "b": {**entry, "cwd": "own"}, "c": {"command": PYTHON}})
    assert {name: server.paths for name, server in servers.stdio.items()} == {"a": (), "b": ("own",), "c": (".",)}


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(UndeployableError) as raised:
        write_config(tmp_path, {"a": {"command": ["npm"], "network": False}, "b": {"command": ["go"]}})
    assert [line.split(":")[0].strip() for line in str(raised.value).splitlines()[1:]] == ["a", "a", "b"]


@pytest.mark.parametrize("options", [["-m", "server"], ["-u", "main.py", "-S"], ["main.py", "-I"]])
def test_options_after_the_script_are_accepted(tmp_path: Path, options: list[str]) -> None:
    assert write_config(tmp_path, {"a": {"command": ["python3", *options]}}).stdio.keys() == {"a"}


@pytest.mark.parametrize(("config", "root"), [("config/overrides", "."), ("overrides", "overrides"), (".", ".")])
def test_paths_of_entries_are_resolved_like_in_the_registry(tmp_path: Path, config: str, root: str) -> None:
    server = tmp_path / root / "backend"
    server.mkdir(parents=True)
    (tmp_path / config).mkdir(parents=True, exist_ok=True)
    servers = write_config(tmp_path / config, {"a": {"command": PYTHON, "cwd": "backend"}})

    assert servers.root / servers.all["a"].cwd == server
    assert read_registry(tmp_path / config / "mcp.json").servers["a"].cwd == str(server)
