"""The data that a server keeps for each user (``"writes": "keep"``): how long they last, and who can see them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.test_erasure import erase
from tests.e2e.user_client import Json, UserClient, run_user, wait_for_tools

PROGRAM = """
import os
from pathlib import Path
from fastmcp import FastMCP

mcp = FastMCP("notes")
FILE = Path(os.environ["SATCHEL_WORKSPACE"], "notes.txt")

@mcp.tool
def add(text: str) -> str:
    with FILE.open("a") as file:
        file.write(text)
    Path("~/.profile").expanduser().write_text(text)
    return str(FILE)

@mcp.tool
def read(path: str = "") -> str:
    return Path(path or FILE).read_text()

@mcp.tool
def report(username: str) -> str:
    Path(f"/tmp/{username}/report.txt").write_text(FILE.read_text())
    return "done"

@mcp.tool
def grow(mebibytes: int) -> str:
    FILE.with_name("large").write_bytes(os.urandom(mebibytes << 20))
    return "done"

mcp.run(show_banner=False)
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("kept")
    (folder / "main.py").write_text(PROGRAM)
    entry = {"command": ["python", "main.py"], "writes": "keep"}
    # Without ``cwd``, each server starts in its folder, and reads what its command names.
    (folder / "mcp.json").write_text(json.dumps({"notes": entry, "diary": entry, "brief": entry | {"writes": True}}))
    return {
        "SATCHEL_MCP_CONFIG": str(folder / "mcp.json"),
        "SATCHEL_DATA": str(tmp_path_factory.mktemp("data")),
        "SATCHEL_MAX_STATE_MB": "8",
    }


@pytest.fixture(scope="module")
def earlier_user(settings: dict[str, str]) -> str:
    """The name of a user whose data an earlier run of the system has kept."""
    name = run_user("earlier")
    with running_system(settings=settings) as earlier:
        UserClient(earlier.url, name).wait_for_tools()
        call(UserClient(earlier.url, name), "notes.add", text="kept")
    return name


@pytest.fixture(scope="module")
def system(settings: dict[str, str], earlier_user: str) -> Iterator[SystemProcess]:
    assert earlier_user
    with running_system(settings=settings) as running:
        wait_for_tools(running.url)
        yield running


def call(user: UserClient, tool: str, **arguments: object) -> Json:
    """Call a tool in a new session."""
    (called,) = user.ask(user.create_session(), f"/{tool} {json.dumps(arguments)}")["tool_calls"]
    return dict(called)


def test_kept_data_last_beyond_a_session_and_are_no_files_of_the_user(system: SystemProcess) -> None:
    user = UserClient(system.url, run_user("keeper"))
    first = user.ask(user.create_session(), '/notes.add {"text": "kept"}\n/brief.add {"text": "brief"}')
    assert [file["name"] for file in first["artifacts"]] == ["notes.txt"]  # of the server that does not keep it
    assert call(user, "notes.read")["results"] == "kept"
    assert call(user, "brief.read")["is_error"] is True
    reported = user.ask(user.create_session(), "/notes.report {}")
    assert [file["name"] for file in reported["artifacts"]] == ["report.txt"]


def test_kept_data_are_invisible_to_other_users_and_other_servers(system: SystemProcess) -> None:
    user, other = (UserClient(system.url, run_user(name)) for name in ("writer", "reader"))
    path = call(user, "notes.add", text="private")["results"]
    home = str(Path(path).parent / ".home/.profile")
    assert [call(user, "notes.read", path=each)["results"] for each in (path, home)] == ["private"] * 2

    for caller, server in ((other, "notes"), (user, "diary"), (other, "brief"), (user, "brief")):
        for each in ("", path, home):
            refused = call(caller, f"{server}.read", path=each)
            assert (refused["is_error"], "private" in json.dumps(refused["results"])) == (True, False)


def test_erasure_deletes_the_kept_data_of_the_user_and_of_no_other(system: SystemProcess) -> None:
    user, other = (UserClient(system.url, run_user(name)) for name in ("erased", "staying"))
    paths = [Path(call(each, "notes.add", text="x")["results"]) for each in (user, user, other)]
    assert [path.read_text() for path in paths] == ["xx", "xx", "x"]

    erase(user)

    assert [path.parent.exists() for path in paths] == [False, False, True]
    assert (call(user, "notes.read")["is_error"], call(other, "notes.read")["results"]) == (True, "x")


def test_call_is_refused_if_the_kept_data_are_too_large(system: SystemProcess) -> None:
    user = UserClient(system.url, run_user("hoarder"))
    assert call(user, "notes.grow", mebibytes=7)["is_error"] is False
    assert call(user, "notes.grow", mebibytes=9)["is_error"] is False
    refused = call(user, "notes.read")
    assert "more than 8 MiB" in refused["results"]["error"]
    assert call(user, "diary.grow", mebibytes=1)["is_error"] is False


def test_kept_data_last_beyond_a_restart(system: SystemProcess, earlier_user: str) -> None:
    assert call(UserClient(system.url, earlier_user), "notes.read")["results"] == "kept"
