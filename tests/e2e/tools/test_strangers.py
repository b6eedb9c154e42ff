"""Servers of the package registries, which nobody here wrote, run as they come: Python's and Node's."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import Somebody
from tests.e2e.person import Json, Person
from tests.e2e.tools.strangers import MEMORY, SATCHEL

# CI has Node, so that there nothing is skipped in silence.
NO_NODE = shutil.which("node") is None or not MEMORY.exists()
needs_node = pytest.mark.skipif(
    NO_NODE and "CI" not in os.environ, reason="no Node, or its packages are not installed (make test does that)"
)


def tools(person: Person, server: str) -> set[str]:
    listed = {one["name"]: one for one in person.call("GET", "/api/tools").json()["servers"]}[server]
    assert (listed["status"], listed["reason"]) == ("ready", None)
    return {tool["name"] for tool in listed["tools"]}


def call(person: Person, tool: str, **arguments: object) -> Json:
    called: Json = person.ask(person.session(), f"/{tool} {json.dumps(arguments)}")["tool_calls"][0]
    assert called["is_error"] is False, called
    return called


def test_a_clock_written_in_python_tells_the_time(somebody: Somebody) -> None:
    person = somebody()
    assert tools(person, "time") >= {"get_current_time", "convert_time"}
    told = call(person, "time.convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo")
    assert "T21:00:00+09:00" in json.dumps(told["results"])


def test_a_reader_of_repositories_written_in_python_reads_one(somebody: Somebody, folder: Path) -> None:
    person = somebody()
    assert tools(person, "git") >= {"git_log", "git_status"}
    told = call(person, "git.git_log", repo_path=str(folder / "work"))
    assert "The first thought" in json.dumps(told["results"])


@needs_node
def test_a_memory_written_for_node_remembers(somebody: Somebody) -> None:
    person = somebody()
    assert tools(person, "memory") >= {"create_entities", "read_graph"}
    assert call(person, "memory.read_graph")["results"]["entities"] == [SATCHEL]
