"""Starting: what is wrong is said in a line, and what is ready answers."""

import json
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.e2e.person import TLS, Person
from tests.e2e.system import ROOT, System, environment, free_port, running_system, serve_command
from tests.processes import environ_of

MAX_SECONDS = 5.0
SECRETS = {"TRIAL_TOKEN": "of-trial", "SATCHEL_OTHER_TOKEN": "of-other"}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two servers with a secret each, and two that cannot work."""
    python, where = ["python", "trial.py"], str(ROOT / "tests/servers")
    entries = {
        "trial": {"command": python, "cwd": where, "env": {"TOKEN": "${TRIAL_TOKEN}"}},
        "other": {"command": python, "cwd": where, "env": {"TOKEN": "${SATCHEL_OTHER_TOKEN}"}},
        "absent": {"command": ["no-such-program-anywhere"]},
        "mute": {"command": ["python", "-c", "raise SystemExit('nothing to say')"]},
    }
    path = tmp_path_factory.mktemp("config") / "mcp.json"
    path.write_text(json.dumps(entries))
    return path


@dataclass(frozen=True)
class AtReady:
    """A system at the moment when it is ready: what it has used of the processor until then (seconds), its answer."""

    system: System
    used: float
    answered: int


@pytest.fixture(scope="module")
def at_ready(config: Path) -> Iterator[AtReady]:
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config), **SECRETS}) as system:
        answered = httpx2.get(f"{system.url}/api/health", verify=TLS).status_code
        times = psutil.Process(system.process.pid).cpu_times()  # what else runs here does not count
        yield AtReady(system, times.user + times.system, answered)


@pytest.fixture(scope="module")
def started(at_ready: AtReady) -> System:
    """The system as it is when it has said all that it has to say of its servers."""
    system = at_ready.system
    person = Person(system.url, "starter@example.com")
    session_id = person.session()
    for server in ("trial", "other", "absent", "mute"):  # each waits for its server's list
        person.ask(session_id, f'/{server}.wait {{"seconds": 0}}')
    return system


def test_ready_is_five_seconds_away_at_most_on_a_processor_of_its_own_and_then_it_answers(at_ready: AtReady) -> None:
    assert at_ready.used < MAX_SECONDS
    assert at_ready.answered == httpx2.codes.OK


def test_servers_without_tools_are_named_in_one_line_each(started: System) -> None:
    lines = [line for line in started.said().splitlines() if line.startswith("No tools of ")]
    assert sorted(line.partition(":")[0] for line in lines) == ["No tools of 'absent'", "No tools of 'mute'"]
    assert "no-such-program-anywhere" in next(line for line in lines if "absent" in line)
    assert "Traceback" not in started.said()


def test_a_server_sees_its_own_secret_under_its_own_name_and_no_process_sees_anothers(started: System) -> None:
    environs = [environ_of(process) or {} for process in psutil.Process(started.process.pid).children(recursive=True)]
    assert {environ["TOKEN"] for environ in environs if "TOKEN" in environ} == set(SECRETS.values())
    assert not [environ for environ in environs if SECRETS.keys() & environ.keys()]


def _refused(port: int, tmp_path: Path, **settings: str) -> str:
    """Return the one line with which a start is refused."""
    done = subprocess.run(  # noqa: S603  (our own command)
        serve_command(port),
        cwd=ROOT,
        env=environment({"TMPDIR": str(tmp_path), **settings}),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert list(tmp_path.iterdir()) == []
    (line,) = done.stderr.splitlines()
    return line


def test_a_port_in_use_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert _refused(port, tmp_path) == f"satchel: cannot listen on 127.0.0.1:{port}: Address already in use"


def test_a_model_that_nobody_knows_is_said_in_one_line(tmp_path: Path) -> None:
    line = _refused(free_port(), tmp_path, SATCHEL_MODEL="nonesuch")
    assert line.startswith("satchel: ")
    assert "nonesuch" in line


def test_a_configuration_that_cannot_be_used_is_said_in_one_line(config: Path, tmp_path: Path) -> None:
    line = _refused(free_port(), tmp_path, SATCHEL_MCP_CONFIG=str(config), TRIAL_TOKEN="x")
    assert line == f"satchel: {config}: server 'other': env.TOKEN: the variable SATCHEL_OTHER_TOKEN is not set"
