"""Start: time until ready, and one line of output for each problem."""

import json
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.e2e.system_process import ROOT, SystemProcess, environment, free_port, running_system, serve_command
from tests.e2e.user_client import TLS, UserClient, run_user
from tests.processes import read_environ

MAX_SECONDS = 5.0
SECRETS = {"TRIAL_TOKEN": "of-trial", "SATCHEL_OTHER_TOKEN": "of-other"}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two servers with one secret each, two that cannot start, and two whose entries have a problem."""
    command, cwd = ["python", "trial.py"], str(ROOT / "tests/mcp_servers")
    entries = {
        "trial": {"command": command, "cwd": cwd, "env": {"TOKEN": "${TRIAL_TOKEN}"}},
        "other": {"command": command, "cwd": cwd, "env": {"TOKEN": "${SATCHEL_OTHER_TOKEN}"}},
        "absent": {"command": ["no-such-program-anywhere"]},
        "silent": {"command": ["python", "-c", "raise SystemExit('nothing to say')"]},
        "unset": {"command": command, "cwd": cwd, "env": {"K": "${SATCHEL_NOT_SET}"}},
        "mistyped": {"comand": command},
    }
    path = tmp_path_factory.mktemp("config") / "mcp.json"
    path.write_text(json.dumps(entries))
    return path


@dataclass(frozen=True)
class AtReady:
    """A system at the moment when it is ready: its CPU seconds so far and the status of its health check."""

    system: SystemProcess
    cpu_seconds: float
    health_status: int


@pytest.fixture(scope="module")
def at_ready(config: Path) -> Iterator[AtReady]:
    with running_system(serve_command(), settings={"SATCHEL_MCP_CONFIG": str(config), **SECRETS}) as system:
        health_status = httpx2.get(f"{system.url}/api/health", verify=TLS, timeout=60).status_code
        times = psutil.Process(system.process.pid).cpu_times()  # CPU time, so that other processes do not count
        yield AtReady(system, times.user + times.system, health_status)


@pytest.fixture(scope="module")
def started(at_ready: AtReady) -> SystemProcess:
    """The system after it has reported the status of all servers."""
    system = at_ready.system
    user = UserClient(system.url, run_user("starter"))
    user.wait_for_tools("absent", "silent", "unset", "mistyped")
    session_id = user.create_session()
    for server in ("trial", "other", "absent", "silent", "unset"):
        user.ask(session_id, f'/{server}.wait {{"seconds": 0}}')
    return system


def test_system_is_ready_within_five_cpu_seconds_and_answers_health_checks(at_ready: AtReady) -> None:
    assert at_ready.cpu_seconds < MAX_SECONDS
    assert at_ready.health_status == httpx2.codes.OK


def test_each_server_without_tools_is_reported_in_one_line(started: SystemProcess) -> None:
    late = "takes too long to start"  # what a busy machine may say of the others, which are started again
    lines = [line for line in started.output().splitlines() if line.startswith("No tools of ") and late not in line]
    assert sorted(line.partition(":")[0] for line in lines) == [
        "No tools of 'absent'",
        "No tools of 'silent'",
        "No tools of 'unset'",
    ]
    assert "no-such-program-anywhere" in next(line for line in lines if "absent" in line)
    assert "Traceback" not in started.output()


def test_server_sees_only_its_own_secret_and_only_under_its_configured_name(started: SystemProcess) -> None:
    environs = [read_environ(process) or {} for process in psutil.Process(started.process.pid).children(recursive=True)]
    assert {environ["TOKEN"] for environ in environs if "TOKEN" in environ} == set(SECRETS.values())
    assert not [environ for environ in environs if SECRETS.keys() & environ.keys()]


def _start_error(port: int, tmp_path: Path, **settings: str) -> str:
    """Return the only line of output of a start that fails."""
    result = subprocess.run(  # noqa: S603  (our own command)
        serve_command(port),
        cwd=ROOT,
        env=environment({"TMPDIR": str(tmp_path), **settings}),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert list(tmp_path.iterdir()) == []
    (line,) = result.stderr.splitlines()
    return line


def test_port_in_use_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert _start_error(port, tmp_path) == f"satchel: cannot listen on 127.0.0.1:{port}: Address already in use"


def test_unknown_model_is_reported_in_one_line(tmp_path: Path) -> None:
    line = _start_error(free_port(), tmp_path, SATCHEL_MODEL="nonesuch")
    assert line.startswith("satchel: ")
    assert "nonesuch" in line


def test_configuration_that_is_not_json_is_reported_in_one_line(tmp_path: Path) -> None:
    config = tmp_path.with_name(f"{tmp_path.name}.json")
    config.write_text("{")
    line = _start_error(free_port(), tmp_path, SATCHEL_MCP_CONFIG=str(config))
    assert line.startswith(f"satchel: {config}: ")


def test_problems_of_entries_are_reported_at_once_and_the_other_servers_work(
    started: SystemProcess, config: Path
) -> None:
    unset = f"{config}: server 'unset': env.K: the variable SATCHEL_NOT_SET is not set; "
    lines = [line for line in started.output().splitlines() if line.startswith(str(config))]
    assert lines == [
        f"{config}: server 'mistyped': comand: there is no such key; did you mean 'command'?",
        f"{unset}set it in the environment of Satchel, or write ${{SATCHEL_NOT_SET:-default}}",
    ]
    servers = UserClient(started.url, run_user("starter")).request("GET", "/api/tools").json()["servers"]
    status = {server["name"]: (server["status"], server["reason"]) for server in servers}
    assert status["trial"] == ("ready", None)
    assert status["mistyped"][0] == status["unset"][0] == "unavailable"
    assert "did you mean 'command'?" in status["mistyped"][1]
    assert unset in status["unset"][1]
