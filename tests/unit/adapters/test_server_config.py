import json
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.server_config import (
    ConfigError,
    describe_problems,
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


def test_without_cwd_the_files_that_the_command_names_are_absolute_and_readable(tmp_path: Path) -> None:
    for name in ("tools/x.py", "data.csv", "serve", ".env", ".env.local"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    command = ["python", "-u", "tools/x.py", "data.csv", "absent.py", "-c", "--dir=/usr/lib"]
    entries = {"a": {"command": command, "env": {"KEYS": "/usr/share", "URL": "//x"}}, "b": {"command": ["./serve"]}}
    servers = read(tmp_path, entries).servers

    a = servers["a"]
    script, data = f"{tmp_path}/tools/x.py", f"{tmp_path}/data.csv"
    assert (a.command, a.cwd) == (["python", "-u", script, data, "absent.py", "-c", "--dir=/usr/lib"], None)
    assert (a.read_paths, a.list_paths) == ([f"{tmp_path}/tools", data, "/usr/lib", "/usr/share"], [])
    assert servers["b"].command == [f"{tmp_path}/serve"]


def test_without_cwd_a_folder_with_secrets_is_readable_except_for_these(tmp_path: Path) -> None:
    for name in ("x.py", ".env", ".env.local", ".vscode/mcp.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    beside = read(tmp_path, {"a": {"command": ["python", "x.py"]}}).servers["a"]
    editor = read(tmp_path / ".vscode", {"servers": {"a": {"command": "x ${workspaceFolder}"}}}).servers["a"]

    assert (beside.read_paths, beside.list_paths) == ([f"{tmp_path}/.vscode", f"{tmp_path}/x.py"], [str(tmp_path)])
    assert (editor.read_paths, editor.list_paths) == (
        [f"{tmp_path}/mcp.json", f"{tmp_path}/x.py"],
        [str(tmp_path)],
    )


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
        ({"command": ["python"], "comand": ["a"]}, "comand: there is no such key; did you mean 'command'?"),
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
    ],
)
def test_problem_names_server_and_key_and_hides_no_other_server(
    tmp_path: Path, entry: dict[str, Any], message: str
) -> None:
    registry = read(tmp_path, {"good": {"command": ["python"]}, "bad": entry})
    (problem,) = describe_problems(tmp_path / "mcp.json", registry)

    assert message in problem
    assert problem.startswith(f"{tmp_path}/mcp.json: server 'bad': ")
    assert list(registry.servers) == ["good"]


def test_all_unset_variables_are_named_with_what_to_do(tmp_path: Path) -> None:
    entry = {"command": ["a", "--key=${NOPE}"], "env": {"K": "${OTHER}", "L": "${EMPTY:-x}"}}
    with pytest.raises(ConfigError) as raised:
        resolve(tmp_path, {"bad": entry}, "bad")

    advice = "is not set; set it in the environment of Satchel, or write"
    assert str(raised.value) == (
        f"{tmp_path}/mcp.json: server 'bad': env.K: the variable OTHER {advice} ${{OTHER:-default}}; "
        f"command.1: the variable NOPE {advice} ${{NOPE:-default}}"
    )


def test_default_replaces_an_unset_or_empty_variable(tmp_path: Path) -> None:
    entry = {"command": ["a", "${HOST:-localhost}:${PORT:-80}"], "env": {"E": "${EMPTY:-}", "P": "$${HOST}"}}
    resolved = resolve(tmp_path, {"a": entry}, "a", {"PORT": "", "HOST": "x.example"})

    assert (resolved.command, resolved.env) == (["a", "x.example:80"], {"E": "", "P": "${HOST}"})


def test_placeholder_of_the_workspace_is_kept_for_the_call(tmp_path: Path) -> None:
    entry = {"command": ["a", "${SATCHEL_WORKSPACE}/data"]}

    assert resolve(tmp_path, {"a": entry}, "a", {"SATCHEL_WORKSPACE": "/"}).command == entry["command"]
    assert read(tmp_path, {"a": entry}).servers["a"].variables == set()


def test_headers_are_filled(tmp_path: Path) -> None:
    entry = {"url": "https://x.example", "headers": {"X-API-Key": "${KEY}"}}

    assert resolve(tmp_path, {"a": entry}, "a", {"KEY": "s3cret"}).headers == {"X-API-Key": "s3cret"}


def test_paths_may_begin_with_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    entry = {"command": ["~/bin/serve"], "cwd": "~/tools", "read_paths": ["~/data"]}
    servers = read(tmp_path, {"a": entry}).servers

    assert servers["a"].command == ["/home/ada/bin/serve"]
    assert (servers["a"].cwd, servers["a"].read_paths) == ("/home/ada/tools", ["/home/ada/data"])


def test_problem_contains_no_values_that_may_be_secret(tmp_path: Path) -> None:
    registry = read(tmp_path, {"bad": {"url": "https://x", "auth_token": ["s3cret"], "env": {"A": ["s3cret"]}}})

    assert len(registry.broken["bad"].problems) == 2
    assert "s3cret" not in str(registry.broken)


@pytest.mark.parametrize(
    ("groups", "seen_by"), [([], ["", "staff", "users"]), (["staff"], ["staff"]), ("staff", []), ([1], [])]
)
def test_broken_server_is_shown_to_its_groups_only(tmp_path: Path, groups: object, seen_by: list[str]) -> None:
    registry = read(tmp_path, {"bad": {"command": 3, "groups": groups}})

    assert [group for group in ("", "staff", "users") if registry.broken_for([group])] == seen_by


@pytest.mark.parametrize("text", ["", "[1]", "{"])
def test_file_without_a_table_of_servers_is_rejected(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)

    with pytest.raises(ConfigError, match=r"mcp\.json"):
        read_registry(path)


def test_name_of_the_builtin_tools_is_rejected(tmp_path: Path) -> None:
    registry = read(tmp_path, {"satchel": {"command": ["python"]}})

    assert registry.servers == {}
    assert "this name is reserved" in registry.broken["satchel"].problems[0]


def test_error_names_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.json"):
        read_registry(tmp_path / "nowhere.json")


def test_disabled_server_is_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, {"off": {"url": "${NOPE}", "enabled": False}}).servers == {}


def test_python_is_replaced_by_the_running_interpreter() -> None:
    assert resolve_python(["python", "main.py"]) == [sys.executable, "main.py"]
    assert resolve_python(["python3"]) == [sys.executable]
    assert resolve_python(["node", "python"]) == ["node", "python"]
