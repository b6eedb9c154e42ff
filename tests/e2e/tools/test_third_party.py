"""Published servers of third parties, unchanged, in Python and Node."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.tools.third_party import MEMORY, SATCHEL
from tests.e2e.user_client import Json, UserClient

# CI always has Node, so CI must not skip these tests silently.
NO_NODE = shutil.which("node") is None or not MEMORY.exists()
needs_node = pytest.mark.skipif(
    NO_NODE and "CI" not in os.environ, reason="no Node, or its packages are not installed (make test does that)"
)


def tools(user: UserClient, server: str) -> set[str]:
    listed = {entry["name"]: entry for entry in user.request("GET", "/api/tools").json()["servers"]}[server]
    assert (listed["status"], listed["reason"]) == ("ready", None)
    return {tool["name"] for tool in listed["tools"]}


def call(user: UserClient, tool: str, **arguments: object) -> Json:
    tool_call: Json = user.ask(user.create_session(), f"/{tool} {json.dumps(arguments)}")["tool_calls"][0]
    assert tool_call["is_error"] is False, tool_call
    return tool_call


def test_time_server_in_python_converts_a_time(new_user: NewUser) -> None:
    user = new_user()
    assert tools(user, "time") >= {"get_current_time", "convert_time"}
    result = call(user, "time.convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo")
    assert "T21:00:00+09:00" in json.dumps(result["results"])


def test_git_server_in_python_reads_a_repository(new_user: NewUser, folder: Path) -> None:
    user = new_user()
    assert tools(user, "git") >= {"git_log", "git_status"}
    result = call(user, "git.git_log", repo_path=str(folder / "repo"))
    assert "First commit" in json.dumps(result["results"])


@needs_node
def test_memory_server_in_node_reads_its_file(new_user: NewUser) -> None:
    user = new_user()
    assert tools(user, "memory") >= {"create_entities", "read_graph"}
    assert call(user, "memory.read_graph")["results"]["entities"] == [SATCHEL]


@needs_node
def test_filesystem_server_in_node_reads_the_folder_that_its_command_names(new_user: NewUser, folder: Path) -> None:
    user = new_user()
    (folder / "repo/notes.txt").write_text("forty-two")
    assert tools(user, "filesystem") >= {"read_text_file", "write_file"}
    result = call(user, "filesystem.read_text_file", path=str(folder / "repo/notes.txt"))
    assert "forty-two" in json.dumps(result["results"])
    refused = user.ask(
        user.create_session(),
        f"/filesystem.write_file {json.dumps({'path': str(folder / 'repo/new.txt'), 'content': 'x'})}",
    )["tool_calls"][0]
    assert (refused["error_code"], refused["meta_data"]["details"]["attempted_path"]) == (
        "E_INVALID_PATH",
        str(folder / "repo/new.txt"),
    )
    assert '`"writes": true`' in refused["meta_data"]["details"]["suggestion"]


def state_after(user: UserClient, steps: list[tuple[str, Json]]) -> str:
    """Call tools in one session, and return the results of the last one."""
    session = user.create_session()
    for tool, arguments in steps:
        text = json.dumps(arguments).replace("{workspace}", f"/tmp/{user.name}")
        (result,) = user.ask(session, f"/{tool} {text}")["tool_calls"]
    return json.dumps(result["results"])


ENTITIES = {"entities": [SATCHEL]}
BOOK = {"path": "{workspace}/book.xlsx"}
SHEET = BOOK | {"sheet": "Data"}
STATES: dict[str, tuple[list[tuple[str, Json]], tuple[str, Json], str]] = {
    "memory": (
        [("own_memory.create_entities", ENTITIES)],
        ("own_memory.read_graph", {}),
        "holds files",
    ),
    "filesystem": (
        [("own_files.write_file", {"path": "{workspace}/new.txt", "content": "forty-two"})],
        ("own_files.read_text_file", {"path": "{workspace}/new.txt"}),
        "forty-two",
    ),
    "sqlite": (
        [
            ("sqlite.create_table", {"query": "create table t (a text)"}),
            ("sqlite.write_query", {"query": "insert into t values ('forty-two')"}),
        ],
        ("sqlite.read_query", {"query": "select a from t"}),
        "forty-two",
    ),
    "excel": (
        [
            ("excel.create_workbook", BOOK | {"sheets": ["Data"]}),
            ("excel.write_range", SHEET | {"at": "A1", "rows": [["forty-two"]]}),
        ],
        ("excel.read_range", SHEET | {"range": "A1"}),
        "forty-two",
    ),
    "git": (
        [
            ("own_files.write_file", {"path": "{workspace}/repo/a.txt", "content": "x"}),
            ("own_git.git_add", {"repo_path": "{workspace}/repo", "files": ["a.txt"]}),
        ],
        ("own_git.git_status", {"repo_path": "{workspace}/repo"}),
        "new file:   a.txt",
    ),
}


@needs_node
@pytest.mark.parametrize("server", STATES)
def test_state_of_a_published_server_lasts_for_its_user_and_is_invisible_to_others(
    new_user: NewUser, server: str
) -> None:
    writes, read, expected = STATES[server]
    first = [("own_git.git_status", {"repo_path": "{workspace}/repo"})] if server == "git" else []
    user, other = new_user(), new_user()

    assert expected in state_after(user, [*first, *writes, read])
    assert expected not in state_after(other, [*first, read])
