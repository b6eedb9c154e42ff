"""Which servers of an mcp.json are deployed, and what is said of those that could not run."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from infra.servers import Servers, UndeployableError

PYTHON = ["python", "main.py"]


def read(root: Path, entries: object) -> Servers:
    (root / "mcp.json").write_text(json.dumps(entries))
    return Servers(root)


def test_programs_have_functions_of_their_own_and_servers_elsewhere_share_one(tmp_path: Path) -> None:
    servers = read(
        tmp_path,
        {
            "b": {"command": PYTHON, "memory_mb": 256},
            "a": {"command": PYTHON},
            "away": {"url": "https://tools.example"},
            "off": {"command": PYTHON, "enabled": False},
            "kept": {"command": ["npx", "server"], "deploy": False},
        },
    )
    assert {name: server.memory_mb for name, server in servers.stdio.items()} == {"a": 1024, "b": 256}
    assert servers.remote.keys() == {"away"}
    assert list(servers.entries) == ["a", "away", "b"]


def test_what_an_entry_says_of_its_deployment_is_of_no_use_to_functions(tmp_path: Path) -> None:
    (tmp_path / "pins.txt").write_text("")
    entry = {"command": PYTHON, "requirements": "pins.txt", "deploy": True, "enabled": True, "groups": ["users"]}
    assert read(tmp_path, {"a": entry}).entries == {"a": {"command": PYTHON, "groups": ["users"]}}


@pytest.mark.parametrize(
    "entry", ['"a.b": {"command": ["x"]}', '"": {"command": ["x"]}', '"a": {"command": "x"}', '"a": {"command": []}']
)
def test_a_malformed_entry_is_refused(tmp_path: Path, entry: str) -> None:
    (tmp_path / "mcp.json").write_text(f"{{{entry}}}")
    with pytest.raises(ValidationError):
        Servers(tmp_path)


def test_a_server_that_asks_for_more_time_than_the_machine_gives_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match=r"slow\.max_seconds\s+Input should be less than or equal to 840"):
        read(tmp_path, {"slow": {"command": PYTHON, "max_seconds": 841}})


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"command": ["npx", "-y", "server"]}, "'npx' is none that a Python function can start"),
        ({"command": ["node", "main.mjs"]}, "'node' is none that a Python function can start"),
        ({"command": ["./serve"]}, "'./serve' is none that a Python function can start"),
        ({"command": ["/usr/bin/python3", "main.py"]}, "'/usr/bin/python3' is none that"),
        ({"command": ["python", "-I", "main.py"]}, "with -I Python does not look where"),
        ({"command": ["python", "-uS", "main.py"]}, "with -uS Python does not look where"),
        ({"command": PYTHON, "network": False}, "'network: false' cannot be enforced"),
        ({"command": PYTHON, "cwd": "/srv/tools"}, "cwd '/srv/tools' is outside the folder"),
        ({"command": PYTHON, "cwd": "../tools"}, "cwd '../tools' is outside the folder"),
        ({"command": PYTHON, "cwd": "absent"}, "there is no directory 'absent'"),
        ({"command": PYTHON, "requirements": "absent.txt"}, "there is no file 'absent.txt'"),
        ({"command": PYTHON, "read_paths": ["../data"]}, "read_paths: '../data' is outside the folder"),
    ],
)
def test_what_a_function_cannot_run_is_named_with_its_reason(tmp_path: Path, entry: dict[str, Any], why: str) -> None:
    with pytest.raises(UndeployableError) as refused:
        read(tmp_path, {"good": {"command": PYTHON}, "odd": entry})
    first, problem = str(refused.value).splitlines()
    assert first == f'{tmp_path}/mcp.json has servers that cannot be deployed ("deploy": false leaves one out):'
    assert problem.startswith("  odd: ")
    assert why in problem
    assert read(tmp_path, {"odd": entry | {"deploy": False}}).entries == {}


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UndeployableError) as refused:
        read(tmp_path, {"a": {"command": ["npx"], "network": False}, "b": {"command": ["go"]}})
    assert [line.split(":")[0].strip() for line in str(refused.value).splitlines()[1:]] == ["a", "a", "b"]


@pytest.mark.parametrize("options", [["-m", "server"], ["-u", "main.py", "-S"], ["main.py", "-I"]])
def test_options_of_the_program_itself_are_its_own_affair(tmp_path: Path, options: list[str]) -> None:
    assert read(tmp_path, {"a": {"command": ["python3", *options]}}).stdio.keys() == {"a"}
