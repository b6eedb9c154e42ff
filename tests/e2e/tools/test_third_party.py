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
    result = call(user, "git.git_log", repo_path=str(folder / "work"))
    assert "First commit" in json.dumps(result["results"])


@needs_node
def test_memory_server_in_node_reads_its_file(new_user: NewUser) -> None:
    user = new_user()
    assert tools(user, "memory") >= {"create_entities", "read_graph"}
    assert call(user, "memory.read_graph")["results"]["entities"] == [SATCHEL]
