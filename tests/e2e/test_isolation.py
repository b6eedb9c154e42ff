"""Sandbox of tools in the running system, attacked by real tools and checked from outside."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.sandbox.probe import find_layers
from tests.attacks.attack_run import attack_target, call, run_attacks, sandboxed_system
from tests.attacks.target import NOT_FOR_ROOT, SECRET, AttackTarget
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import UserClient

LAYERS = find_layers()
PLANTED = "planted-secret-0815"
PLANTED_MODULES = {"json.py", "sitecustomize.py", "usercustomize.py"}

pytestmark = pytest.mark.skipif(
    LAYERS.level != "kernel" or "mounts" not in LAYERS.layers, reason="this kernel does not enforce all sandbox layers"
)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    """Run a system whose environment contains secrets that no tool may find."""
    secrets = {"OTHERS_TOKEN": PLANTED, "AWS_SECRET_ACCESS_KEY": PLANTED, "SOME_API_KEY": PLANTED}
    with sandboxed_system("kernel", tmp_path_factory.mktemp("config") / "mcp.json", **secrets) as system:
        yield system


@pytest.fixture(scope="module")
def alice(system: SystemProcess) -> UserClient:
    return UserClient(system.url, "alice@example.com")


@pytest.fixture
def target() -> Iterator[AttackTarget]:
    with attack_target() as created:
        yield created


@pytest.mark.clause("v2.1:isolation:read-only", "v2.1:isolation:guarded", "v2.1:isolation:no-username-no-writes")
@pytest.mark.parametrize("tool", ["attack", "attack_as_reader"])
def test_no_attack_succeeds(alice: UserClient, target: AttackTarget, tool: str) -> None:
    report = run_attacks(alice, target, tool)

    assert len(report.outcomes) > 150
    assert report.succeeded == (NOT_FOR_ROOT & report.succeeded if os.geteuid() == 0 else set())
    assert report.left_target_untouched
    assert SECRET not in str(report.outcomes)


def test_planted_modules_are_not_loaded_by_a_later_server(system: SystemProcess, target: AttackTarget) -> None:
    eve = UserClient(system.url, "eve@example.com")
    session = eve.create_session()
    call(eve, "attacker.attack", session, attacks=["planted_modules"], target=target.fields)
    assert {path.name for path in Path("/tmp", eve.name).glob("*.py")} == PLANTED_MODULES
    started = call(eve, "file_access.about", session)

    assert not started["is_error"]
    assert target.snapshot() == target.before


def test_daemon_of_a_tool_is_killed_at_the_end_of_the_call(alice: UserClient, target: AttackTarget) -> None:
    call(alice, "attacker.attack", attacks=["daemon"], target=target.fields)
    time.sleep(3)  # longer than the daemon waits before it would write

    assert not Path("/tmp", alice.name, "survived").exists()


def test_tool_finds_no_secret_in_any_file_that_it_can_read(alice: UserClient) -> None:
    words = [PLANTED, "AWS_SECRET", "AWS_SESSION", "AKIASATCHEL", "SATCHEL_CAPABILITY", "task_token"]
    results = call(alice, "attacker.search", words=words)["results"]

    assert results["matches"] == []
    assert results["readable"] > 5


@pytest.mark.clause("v2.1:isolation:guarded", "v2.1:errors:invalid-path")
@pytest.mark.parametrize("way", ["open", "os", "pathlib", "shutil", "shell", "program", "sqlite", "read"])
def test_blocked_access_has_the_specified_error(alice: UserClient, target: AttackTarget, way: str) -> None:
    path = str(target.bob / "secret") if way == "read" else str(target.out / "x")
    result = call(alice, "file_access.reach", way=way, path=path)

    assert (result["is_error"], result["error_code"]) == (True, "E_INVALID_PATH")
    assert result["results"] == {"error": "File operation outside allowed directory"}
    assert result["meta_data"] == {
        "is_error": True,
        "reason": "SecurityViolation",
        "error_code": "E_INVALID_PATH",
        "details": {
            "attempted_path": path,
            "allowed_prefix": f"/tmp/{alice.name}/",
            "suggestion": "Use /tmp/{username}/ prefix for file operations",
        },
        "retryable": False,
    }


def test_tool_that_continues_keeps_its_result_and_the_violation(alice: UserClient, target: AttackTarget) -> None:
    result = call(alice, "file_access.reach_and_continue", path=str(target.out / "x"))

    assert (result["is_error"], result["results"]) == (False, "continued")
    violation = {"attempted_path": str(target.out / "x"), "allowed_prefix": f"/tmp/{alice.name}/"}
    assert result["meta_data"]["security_violations"] == [violation]


def test_isolation_level_is_reported(alice: UserClient, system: SystemProcess) -> None:
    assert alice.request("GET", "/api/config").json()["isolation_level"] == "kernel"
    assert "Tool isolation: level 'kernel' (landlock, mounts, seccomp)" in system.output()
