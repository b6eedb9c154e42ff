"""Environments are forks of one process that has imported what they need; nothing else of it is theirs."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from local.runners.functions import RunnerFunction
from local.runners.pool import EnvironmentPool
from tests.processes import children_with, pid_lives

HANDLERS = "tests.integration.local.runner_handlers"


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[EnvironmentPool]:
    """Two functions with a secret each."""
    functions = [
        RunnerFunction(name=name, target=f"{HANDLERS}:describe", settings={f"{name}_SECRET": name})
        for name in ("one", "other")
    ]
    with EnvironmentPool(functions, log_dir=tmp_path, preload=[HANDLERS]) as pool:
        yield pool


def told(pool: EnvironmentPool, function: str, tenant: str = "alice") -> dict[str, Any]:
    return cast("dict[str, Any]", pool.invoke(function, tenant, {}))


def fork_server(pool: EnvironmentPool) -> psutil.Process:
    """Return the one child with that command line that is no environment: they inherit it."""
    (found,) = [p for p in children_with("local.runners.forkserver") if p.pid not in pool.pids().values()]
    return found


def test_what_all_need_is_imported_once_and_for_all(pool: EnvironmentPool) -> None:
    assert {told(pool, name)["imported_in"] for name in ("one", "other")} == {fork_server(pool).pid}


def test_an_environment_is_a_child_of_ours_in_a_session_of_its_own(pool: EnvironmentPool) -> None:
    seen = told(pool, "one")
    assert seen["parent"] == os.getpid()
    assert seen["session"] == seen["pid"]


def test_an_environment_has_the_settings_of_its_function_and_of_no_other(pool: EnvironmentPool) -> None:
    for name in ("one", "other"):
        environ = told(pool, name)["environ"]
        assert {key for key in environ if key.endswith("_SECRET")} == {f"{name}_SECRET"}


def test_an_environment_can_be_told_by_its_name(pool: EnvironmentPool) -> None:
    assert psutil.Process(told(pool, "other")["pid"]).name() == "other"


def test_an_environment_holds_no_pipe_of_another_and_none_of_the_fork_server(pool: EnvironmentPool) -> None:
    told(pool, "other")
    descriptors = Path(f"/proc/{told(pool, 'one')['pid']}/fd").iterdir()
    held = [str(descriptor.readlink()).partition(":")[0] for descriptor in descriptors if descriptor.is_symlink()]
    assert (held.count("pipe"), held.count("socket")) == (2, 0)


def test_a_fork_server_that_was_killed_is_started_again(pool: EnvironmentPool) -> None:
    before = told(pool, "one")["pid"]
    fork_server(pool).kill()
    assert told(pool, "other")["imported_in"] == fork_server(pool).pid
    assert pid_lives(before)
    assert told(pool, "one")["pid"] == before
