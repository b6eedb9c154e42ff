"""Sandbox of tools in the running system, attacked by real tools and checked from outside."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.sandbox.probe import find_layers
from tests.attacks.attack_run import (
    AttackReport,
    attack_target,
    call,
    kept_target,
    run_attacks,
    run_attacks_of_a_document,
    run_attacks_of_an_app,
    sandboxed_system,
)
from tests.attacks.target import NOT_FOR_ROOT, SECRET, AttackTarget
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, run_user

LAYERS = find_layers()
WRITE_ELSEWHERE = "Use /tmp/{username}/ prefix for file operations"
READ_ELSEWHERE = "To read this path, add it to `read_paths` of the server's entry in mcp.json"
PLANTED = "planted-secret-0815"
PLANTED_MODULES = {"json.py", "sitecustomize.py", "usercustomize.py"}

pytestmark = pytest.mark.skipif(
    LAYERS.level != "kernel" or "mounts" not in LAYERS.layers, reason="this kernel does not enforce all sandbox layers"
)


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A folder with a short path, because targets have Unix sockets, whose paths are limited to 107 characters."""
    with tempfile.TemporaryDirectory(prefix="satchel-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Iterator[SystemProcess]:
    """Run a system whose environment contains secrets that no tool may find."""
    secrets = {"OTHERS_TOKEN": PLANTED, "AWS_SECRET_ACCESS_KEY": PLANTED, "SOME_API_KEY": PLANTED}
    config = tmp_path_factory.mktemp("config") / "mcp.json"
    with sandboxed_system("kernel", config, SATCHEL_DATA=str(data), **secrets) as system:
        yield system


@pytest.fixture(scope="module")
def alice(system: SystemProcess) -> UserClient:
    return UserClient(system.url, run_user("alice"))


@pytest.fixture
def target() -> Iterator[AttackTarget]:
    with attack_target() as created:
        yield created


def invalid_path(path: str, allowed_prefix: str | None, suggestion: str, operation: str | None) -> Json:
    """Return the meta data of the error for a blocked access, which is also listed as a violation."""
    return {
        "is_error": True,
        "reason": "SecurityViolation",
        "error_code": "E_INVALID_PATH",
        "details": {"attempted_path": path, "allowed_prefix": allowed_prefix, "suggestion": suggestion},
        "retryable": False,
        "security_violations": [
            {"attempted_path": path, "allowed_prefix": allowed_prefix, "operation": operation},
        ],
    }


@pytest.mark.clause("v2.1:isolation:read-only", "v2.1:isolation:guarded", "v2.1:isolation:no-username-no-writes")
@pytest.mark.parametrize("tool", ["attack", "attack_as_reader", "attack_from_scratch", "attack_as_task"])
@pytest.mark.parametrize("server", ["attacker", "keeper"])
def test_no_attack_succeeds(alice: UserClient, target: AttackTarget, server: str, tool: str) -> None:
    check(run_attacks(alice, target, f"{server}.{tool}"))


@pytest.mark.parametrize("tool", ["attack", "attack_from_scratch", "attack_as_task"])
def test_no_attack_on_data_that_servers_keep_succeeds(alice: UserClient, data: Path, tool: str) -> None:
    with kept_target(data, alice) as target:
        check(run_attacks(alice, target, f"keeper.{tool}"))


@pytest.mark.parametrize("server", ["attacker", "keeper"])
def test_no_attack_of_a_tool_that_an_app_calls_succeeds(alice: UserClient, target: AttackTarget, server: str) -> None:
    check(run_attacks_of_an_app(alice, target, server))


def test_no_attack_of_a_document_on_its_parser_succeeds(alice: UserClient, target: AttackTarget) -> None:
    check(run_attacks_of_a_document(alice, target))


def check(report: AttackReport) -> None:
    """Check that no attack succeeded, by its own report and from outside."""
    assert len(report.outcomes) > 150
    assert report.succeeded == (NOT_FOR_ROOT & report.succeeded if os.geteuid() == 0 else set())
    assert report.left_target_untouched
    assert SECRET not in str(report.outcomes)


def test_planted_modules_are_not_loaded_by_a_later_server(system: SystemProcess, target: AttackTarget) -> None:
    eve = UserClient(system.url, run_user("eve"))
    session = eve.create_session()
    call(eve, "attacker.attack", session, attacks=["planted_modules"], target=target.fields)
    assert {path.name for path in Path("/tmp", eve.name).glob("*.py")} == PLANTED_MODULES
    started = call(eve, "file_access.about", session)

    assert not started["is_error"]
    assert target.snapshot() == target.before


def test_daemon_of_a_tool_is_killed_at_the_end_of_the_call(alice: UserClient, target: AttackTarget) -> None:
    call(alice, "attacker.attack", attacks=["daemon"], target=target.fields)
    time.sleep(11)  # longer than the daemon waits before it would write

    assert not Path("/tmp", alice.name, "survived").exists()


def test_tool_finds_no_secret_in_any_file_that_it_can_read(alice: UserClient) -> None:
    words = [PLANTED, "AWS_SECRET", "AWS_SESSION", "AKIASATCHEL", "SATCHEL_CAPABILITY", "task_token"]
    results = call(alice, "attacker.search", words=words)["results"]

    assert results["matches"] == []
    assert results["readable"] > 5


@pytest.mark.clause("v2.1:isolation:guarded", "v2.1:errors:invalid-path")
@pytest.mark.parametrize("way", ["open", "os", "pathlib", "shutil", "sqlite"])
def test_blocked_write_has_the_specified_error(alice: UserClient, target: AttackTarget, way: str) -> None:
    path = str(target.out / "x")
    result = call(alice, "file_access.reach", way=way, path=path)

    assert (result["is_error"], result["error_code"]) == (True, "E_INVALID_PATH")
    assert result["results"] == {"error": "File operation outside allowed directory"}
    assert result["meta_data"] == invalid_path(path, f"/tmp/{alice.name}/", WRITE_ELSEWHERE, "write")


@pytest.mark.clause("v2.1:isolation:reads-restricted")
@pytest.mark.parametrize("path", ["/tmp/{bob}/secret", "/proc/1/cmdline"], ids=["hidden", "visible"])
def test_blocked_read_has_an_error_that_names_read_paths(alice: UserClient, target: AttackTarget, path: str) -> None:
    path = path.format(bob=target.bob.name)
    result = call(alice, "file_access.reach", way="read", path=path)

    assert (result["is_error"], result["error_code"]) == (True, "E_INVALID_PATH")
    assert result["results"] == {"error": "File read outside allowed directories"}
    assert result["meta_data"] == invalid_path(path, f"/tmp/{alice.name}/", READ_ELSEWHERE, "read")


@pytest.mark.parametrize("way", ["shell", "program"])
def test_blocked_command_suggests_remedies_for_write_and_read(
    alice: UserClient, target: AttackTarget, way: str
) -> None:
    path = str(target.out / "x")
    result = call(alice, "file_access.reach", way=way, path=path)

    assert result["results"] == {"error": "File operation outside allowed directory"}
    suggestion = f"{WRITE_ELSEWHERE}. {READ_ELSEWHERE}"
    assert result["meta_data"] == invalid_path(path, f"/tmp/{alice.name}/", suggestion, None)


@pytest.mark.clause("v2.1:isolation:no-username-no-writes")
def test_write_without_username_has_an_error_that_says_to_declare_it(alice: UserClient) -> None:
    path = f"/tmp/{alice.name}/x"
    result = call(alice, "file_access.reach_as_reader", way="open", path=path)

    assert result["results"] == {"error": "File operation outside allowed directory"}
    suggestion = (
        "To write files, declare an argument `username: str` and use the prefix /tmp/{username}/, or set "
        '`"writes": true` in the server\'s entry in mcp.json and use the path in SATCHEL_WORKSPACE'
    )
    assert result["meta_data"] == invalid_path(path, None, suggestion, "write")
    assert not Path(path).exists()


def test_tool_that_continues_keeps_its_result_and_the_violation(alice: UserClient, target: AttackTarget) -> None:
    result = call(alice, "file_access.reach_and_continue", path=str(target.out / "x"))

    assert (result["is_error"], result["results"]) == (False, "continued")
    allowed = f"/tmp/{alice.name}/"
    violation = {"attempted_path": str(target.out / "x"), "allowed_prefix": allowed, "operation": "write"}
    assert result["meta_data"]["security_violations"] == [violation]


def test_isolation_level_is_reported(alice: UserClient, system: SystemProcess) -> None:
    assert alice.isolation_level() == "kernel"
    assert "Tool isolation: level 'kernel' (landlock, mounts, seccomp)" in system.output()
