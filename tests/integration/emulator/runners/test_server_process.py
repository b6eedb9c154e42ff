"""The first server of an environment is forked with its libraries, but has nothing of the runner's."""

import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from local.emulator.runners.fork_server import PRELOAD, ForkServer
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.pool import EnvironmentPool
from tests.integration.emulator.handlers.look_around import PROGRAMS

HANDLERS = "tests.integration.emulator.handlers.look_around"
SECRETS = {name: f"runner-secret-{uuid.uuid4().hex}" for name in ("one", "other")}
PATTERN = r"runner-secret-[0-9a-f]{32}"
FORKED, STARTED = "", "VARIABLE"
"""Variables of a server's entry: with none, the server is forked; with one, it is started like any program."""


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnvironmentPool]:
    functions = [
        *(RunnerFunction(name=name, target=f"{HANDLERS}:look", settings={"SECRET": SECRETS[name]}) for name in SECRETS),
        RunnerFunction(name="crash", target=f"{HANDLERS}:crash"),
    ]
    with EnvironmentPool(functions, log_dir=tmp_path_factory.mktemp("logs"), fork_server=ForkServer(PRELOAD)) as pool:
        yield pool


@pytest.fixture(scope="module")
def reports(pool: EnvironmentPool) -> dict[str, dict[str, Any]]:
    """The reports of a forked server and of a started one, the second in an environment that began after the first."""
    return {
        variables: cast("dict[str, Any]", pool.invoke(name, "alice", {"variables": variables, "pattern": PATTERN}))
        for name, variables in (("one", FORKED), ("other", STARTED))
    }


def test_only_the_server_without_variables_of_its_own_is_forked(reports: dict[str, dict[str, Any]]) -> None:
    assert {variables: "fork_server_main" in _command(report) for variables, report in reports.items()} == {
        FORKED: True,
        STARTED: False,
    }


def test_memory_of_a_server_has_no_secret_of_any_runner(pool: EnvironmentPool, reports: dict[str, Any]) -> None:
    later = cast("dict[str, Any]", pool.invoke("other", "bob", {"variables": FORKED, "pattern": PATTERN}))
    assert (later["found"], reports[FORKED]["found"]) == ([], [])
    assert SECRETS["other"] in later["found_in_runner"]


def test_forked_server_has_no_modules_of_satchel_and_its_libraries(reports: dict[str, dict[str, Any]]) -> None:
    assert "fastmcp" in _packages(reports[FORKED])
    assert not {"satchel", "local", "boto3", "botocore", "psutil"} & _packages(reports[FORKED])


def test_server_of_an_idle_fork_server_has_chart_libraries_without_random_numbers(pool: EnvironmentPool) -> None:
    def modules(user: str) -> set[str]:
        report = cast("dict[str, Any]", pool.invoke("one", user, {"variables": FORKED, "pattern": PATTERN}))
        return set(report["modules"])

    deadline = time.monotonic() + 200
    while "matplotlib.figure" not in (loaded := modules(f"idle{time.monotonic_ns()}")):
        assert time.monotonic() < deadline, "the fork server never imported them"
        time.sleep(1)  # longer than the fork server waits
    assert "matplotlib.backends.backend_agg" in loaded
    assert "numpy.random" not in loaded  # would give all users the same numbers


def test_forked_server_sees_the_same_process_as_a_started_one(reports: dict[str, dict[str, Any]]) -> None:
    assert reports[FORKED]["flags"] == reports[STARTED]["flags"]
    assert reports[FORKED]["gc"] == reports[STARTED]["gc"]
    started_path = reports[STARTED]["path"]  # may also have the folders of an editable installation of Satchel
    assert reports[FORKED]["path"] == [path for path in started_path if path in reports[FORKED]["path"]]
    assert reports[FORKED]["variables"] == [name for name in reports[STARTED]["variables"] if name != STARTED]
    assert reports[FORKED]["arguments"] == ["look_around.py"]
    assert str(PROGRAMS) in reports[FORKED]["path"]


def test_forked_server_has_only_its_own_descriptors(reports: dict[str, dict[str, Any]]) -> None:
    assert _descriptor_types(reports[FORKED]) == _descriptor_types(reports[STARTED])


def test_forked_server_is_a_child_of_its_runner_in_its_own_session(reports: dict[str, dict[str, Any]]) -> None:
    report = reports[FORKED]
    assert (report["parent"], report["session"]) == (report["runner"], report["pid"])


def test_exit_code_of_a_forked_server_is_reported(pool: EnvironmentPool) -> None:
    assert "ended with exit code 3" in cast("str", pool.invoke("crash", "alice", {}))


def _packages(report: dict[str, Any]) -> set[str]:
    return {name.partition(".")[0] for name in report["modules"]}


def _command(report: dict[str, Any]) -> str:
    return Path(f"/proc/{report['pid']}/cmdline").read_text()


def _descriptor_types(report: dict[str, Any]) -> list[str]:
    """Return "pipe", "socket" and "anon_inode", or the suffix or path of a file, of each descriptor."""
    names = [str(name).partition(":")[0] for name in report["descriptors"]]
    return sorted(Path(name).suffix or name for name in names)
