"""Walls around tools in the running system: attacked by real tools, looked at from outside."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.sandbox.probe import find_layers
from tests.attacks.arena import ENTRY, NOT_FOR_ROOT, SECRET, Arena, arena
from tests.e2e.person import Json, Person
from tests.e2e.system import ROOT, System, running_system

LAYERS = find_layers()
TRYING = ROOT / "tests/integration/sandbox/servers/trying"
PLANTED = "planted-secret-0815"

pytestmark = pytest.mark.skipif(
    LAYERS.level != "kernel" or "mounts" not in LAYERS.layers, reason="this kernel does not hold all walls"
)


@pytest.fixture(scope="module")
def walls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system of its own, whose environment holds secrets that no tool may find."""
    servers = {
        "attacker": ENTRY,
        "trying": {"command": ["python", "main.py"], "cwd": str(TRYING)},
        "other": {"command": ["python", "main.py"], "cwd": str(TRYING), "env": {"TOKEN": "${OTHERS_TOKEN}"}},
    }
    config = tmp_path_factory.mktemp("config") / "mcp.json"
    config.write_text(json.dumps(servers))
    secrets = {"OTHERS_TOKEN": PLANTED, "AWS_SECRET_ACCESS_KEY": PLANTED, "SOME_API_KEY": PLANTED}
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config), **secrets}) as system:
        onlooker = Person(system.url, "onlooker@example.com")
        while any(server["status"] == "starting" for server in onlooker.call("GET", "/api/tools").json()["servers"]):
            time.sleep(0.1)
        yield system


@pytest.fixture(scope="module")
def alice(walls: System) -> Person:
    return Person(walls.url, "alice@example.com")


@pytest.fixture
def place() -> Iterator[Arena]:
    """Bob's directory lies where a person's does; the other one anywhere."""
    top = Path(tempfile.mkdtemp(prefix="satchel-arena-"))
    bob = Path("/tmp") / f"{top.name}@example.com"
    try:
        with arena(top / "out", bob) as made:
            yield made
    finally:
        shutil.rmtree(top)
        shutil.rmtree(bob)


def call(person: Person, tool: str, **arguments: object) -> Json:
    (one,) = person.ask(person.session(), f"/{tool} {json.dumps(arguments)}")["tool_calls"]
    found: Json = one
    return found


def outcomes(person: Person, tool: str, which: list[str], ground: Json) -> dict[str, Any]:
    """Results may be long: then the model's view of them is cut, so a few attacks are run at a time."""
    found: dict[str, Any] = {}
    for at in range(0, len(which), 40):
        called = call(person, f"attacker.{tool}", which=which[at : at + 40], ground=ground)
        assert not called["is_error"], called
        found |= called["results"]
    return found


@pytest.mark.clause("v2.1:isolation:read-only", "v2.1:isolation:guarded", "v2.1:isolation:no-username-no-writes")
@pytest.mark.parametrize("tool", ["attack", "attack_as_a_reader"])
def test_no_attack_has_its_way(alice: Person, place: Arena, tool: str) -> None:
    names = call(alice, "attacker.names", modules=[])["results"]
    found = outcomes(alice, tool, names, place.ground | {"mine": f"/tmp/{alice.name}"})

    assert len(found) == len(names) > 150
    got_through = {name for name, (outcome, _) in found.items() if outcome == "escaped"}
    assert got_through == (NOT_FOR_ROOT & got_through if os.geteuid() == 0 else set())
    assert place.look() == place.before
    assert place.visitors() == []
    assert SECRET not in str(found)


def test_a_daemon_of_a_tool_is_dead_when_the_call_has_ended(alice: Person, place: Arena) -> None:
    call(alice, "attacker.attack", which=["daemon"], ground=place.ground)
    time.sleep(3)  # longer than the daemon waits before it would write

    assert not Path("/tmp", alice.name, "survived").exists()


def test_no_secret_is_found_in_the_process_nor_in_anything_that_it_can_read(alice: Person) -> None:
    words = [PLANTED, "AWS_SECRET", "AWS_SESSION", "AKIASATCHEL", "SATCHEL_CAPABILITY", "task_token"]
    found = call(alice, "attacker.search", words=words)["results"]

    assert found["found"] == []
    assert found["seen"] > 5


@pytest.mark.clause("v2.1:isolation:guarded", "v2.1:errors:invalid-path")
@pytest.mark.parametrize("way", ["open", "os", "pathlib", "shutil", "shell", "program", "sqlite", "read"])
def test_an_attempt_is_told_in_the_specified_form(alice: Person, place: Arena, way: str) -> None:
    wanted = str(place.bob / "secret") if way == "read" else str(place.out / "x")
    called = call(alice, "trying.reach", way=way, path=wanted)

    assert (called["is_error"], called["error_code"]) == (True, "E_INVALID_PATH")
    assert called["results"] == {"error": "File operation outside allowed directory"}
    assert called["meta_data"] == {
        "is_error": True,
        "reason": "SecurityViolation",
        "error_code": "E_INVALID_PATH",
        "details": {
            "attempted_path": wanted,
            "allowed_prefix": f"/tmp/{alice.name}/",
            "suggestion": "Use /tmp/{username}/ prefix for file operations",
        },
        "retryable": False,
    }


def test_a_tool_that_goes_on_keeps_its_result_with_a_note(alice: Person, place: Arena) -> None:
    called = call(alice, "trying.reach_and_go_on", path=str(place.out / "x"))

    assert (called["is_error"], called["results"]) == (False, "done without")
    noted = {"attempted_path": str(place.out / "x"), "allowed_prefix": f"/tmp/{alice.name}/"}
    assert called["meta_data"]["security_violations"] == [noted]


def test_the_level_is_told(alice: Person, walls: System) -> None:
    assert alice.call("GET", "/api/config").json()["isolation_level"] == "kernel"
    assert "at the level 'kernel' (landlock, mounts, seccomp)" in walls.said()
