"""A turn that starts while servers are starting, and the status of these servers."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import Json, UserClient, run_user

MAX_WAIT_SECONDS = 10
SERVER = """
import pathlib, sys, time
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.05)
from fastmcp import FastMCP
mcp = FastMCP("gated")
mcp.tool(lambda: 1, name="ping")
mcp.run(show_banner=False)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The configuration of two servers: each starts only when the file of its name exists in this folder."""
    (tmp_path / "main.py").write_text(SERVER)
    entry = {"command": ["python", "main.py"], "cwd": "."}
    gated = {**entry, "command": [*entry["command"], "gated"], "title": "Gated", "description": "Opens later."}
    never = {**entry, "command": [*entry["command"], "never"]}
    (tmp_path / "mcp.json").write_text(json.dumps({"gated": gated, "never": never}))
    return tmp_path


@pytest.fixture
def starting_system(folder: Path) -> Iterator[SystemProcess]:
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(folder / "mcp.json")}) as system:
        yield system


@pytest.mark.clause("v4:registry:description")
def test_turn_waits_for_starting_servers_and_names_those_that_it_did_not_offer(
    folder: Path, starting_system: SystemProcess
) -> None:
    user = UserClient(starting_system.url, run_user("early"))
    servers: dict[str, Json] = {s["name"]: s for s in user.request("GET", "/api/tools").json()["servers"]}
    gated = servers["gated"]
    assert (gated["title"], gated["description"], gated["status"]) == ("Gated", "Opens later.", "starting")
    assert datetime.fromisoformat(gated["since"]).tzinfo is not None
    session_id = user.create_session()
    turn = user.start_turn(session_id, "Which tools are there?")
    (folder / "gated").touch()
    events = user.events(session_id, turn["turn_id"])
    (starting,) = [event for event in events if event["type"] == "servers_starting"]
    waited = datetime.fromisoformat(starting["at"]) - datetime.fromisoformat(events[0]["at"])
    assert waited.total_seconds() > MAX_WAIT_SECONDS - 1
    assert "never" in starting["servers"]
    answer = user.wait_for_turn(session_id, turn["turn_id"])["message"]
    assert ("gated" in starting["servers"]) != ("/gated.ping" in answer)
