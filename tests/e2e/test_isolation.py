"""Walls around tools in the running system: attacked by real tools, looked at from outside."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.sandbox.probe import find_layers
from tests.attacks.arena import NOT_FOR_ROOT, SECRET, Arena
from tests.attacks.running import attack, call, place, walled_system
from tests.e2e.person import Person
from tests.e2e.system import System

LAYERS = find_layers()
PLANTED = "planted-secret-0815"
PLANTED_MODULES = {"json.py", "sitecustomize.py", "usercustomize.py"}

pytestmark = pytest.mark.skipif(
    LAYERS.level != "kernel" or "mounts" not in LAYERS.layers, reason="this kernel does not hold all walls"
)


@pytest.fixture(scope="module")
def walls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system of its own, whose environment holds secrets that no tool may find."""
    secrets = {"OTHERS_TOKEN": PLANTED, "AWS_SECRET_ACCESS_KEY": PLANTED, "SOME_API_KEY": PLANTED}
    with walled_system("kernel", tmp_path_factory.mktemp("config") / "mcp.json", **secrets) as system:
        yield system


@pytest.fixture(scope="module")
def alice(walls: System) -> Person:
    return Person(walls.url, "alice@example.com")


@pytest.fixture(name="place")
def fixture_place() -> Iterator[Arena]:
    with place() as made:
        yield made


@pytest.mark.clause("v2.1:isolation:read-only", "v2.1:isolation:guarded", "v2.1:isolation:no-username-no-writes")
@pytest.mark.parametrize("tool", ["attack", "attack_as_a_reader"])
def test_no_attack_has_its_way(alice: Person, place: Arena, tool: str) -> None:
    found = attack(alice, place, tool)

    assert len(found.outcomes) > 150
    assert found.got_through == (NOT_FOR_ROOT & found.got_through if os.geteuid() == 0 else set())
    assert found.unseen
    assert SECRET not in str(found.outcomes)


def test_what_a_tool_plants_is_not_loaded_by_a_server_that_starts_after_it(walls: System, place: Arena) -> None:
    eve = Person(walls.url, "eve@example.com")
    session = eve.session()
    call(eve, "attacker.attack", session, which=["planted_modules"], ground=place.ground)
    assert {path.name for path in Path("/tmp", eve.name).glob("*.py")} == PLANTED_MODULES
    started = call(eve, "trying.about", session)

    assert not started["is_error"]
    assert place.look() == place.before


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
