"""Environments are forks of one process, share its imports, and inherit nothing else from it."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from local.emulator.runners.fork_server import ForkServer
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.pool import EnvironmentPool
from tests.processes import find_children, is_pid_alive

HANDLERS = "tests.integration.emulator.handlers.basic"


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[EnvironmentPool]:
    """A pool of two functions, each with a secret."""
    functions = [
        RunnerFunction(name=name, target=f"{HANDLERS}:describe", settings={f"{name}_SECRET": name})
        for name in ("one", "other")
    ]
    with EnvironmentPool(functions, log_dir=tmp_path, fork_server=ForkServer([HANDLERS])) as pool:
        yield pool


def describe(pool: EnvironmentPool, function: str, tenant: str = "alice") -> dict[str, Any]:
    return cast("dict[str, Any]", pool.invoke(function, tenant, {}))


def fork_server(pool: EnvironmentPool) -> psutil.Process:
    """Return the fork server. Environments have the same command line, so their pids are excluded."""
    (found,) = [
        p for p in find_children("local.emulator.runners.fork_server_main") if p.pid not in pool.pids().values()
    ]
    return found


def test_preloaded_modules_are_imported_once_by_the_fork_server(pool: EnvironmentPool) -> None:
    assert {describe(pool, name)["imported_in"] for name in ("one", "other")} == {fork_server(pool).pid}


def test_environment_is_a_child_of_this_process_in_its_own_session(pool: EnvironmentPool) -> None:
    description = describe(pool, "one")
    assert description["parent"] == os.getpid()
    assert description["session"] == description["pid"]


def test_environment_has_the_settings_of_its_own_function_only(pool: EnvironmentPool) -> None:
    for name in ("one", "other"):
        environ = describe(pool, name)["environ"]
        assert {key for key in environ if key.endswith("_SECRET")} == {f"{name}_SECRET"}


def test_environment_process_has_the_name_of_its_function(pool: EnvironmentPool) -> None:
    assert psutil.Process(describe(pool, "other")["pid"]).name() == "other"


def test_environment_has_no_descriptors_of_others_or_the_fork_server(pool: EnvironmentPool) -> None:
    describe(pool, "other")
    descriptors = Path(f"/proc/{describe(pool, 'one')['pid']}/fd").iterdir()
    files = Counter(str(descriptor.readlink()) for descriptor in descriptors if descriptor.is_symlink())
    assert not [file for file in files if file.startswith("socket:")]
    # One end of the pipes for invocations and responses, and both ends of that for signals.
    assert sorted(ends for file, ends in files.items() if file.startswith("pipe:")) == [1, 1, 2]


def test_killed_fork_server_is_restarted(pool: EnvironmentPool) -> None:
    before = describe(pool, "one")["pid"]
    fork_server(pool).kill()
    assert describe(pool, "other")["imported_in"] == fork_server(pool).pid
    assert is_pid_alive(before)
    assert describe(pool, "one")["pid"] == before
