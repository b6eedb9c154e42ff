"""Legitimate work succeeds with any sandbox layers, and is never reported as a violation."""

from collections.abc import Iterator
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, sandboxed
from tests.integration.sandbox.sandboxed_server import SANDBOXED_TOOLS, SandboxedServer

WORK: dict[str, Any] = {
    "csv": [1, 2],
    "parquet": [1, 2],
    "numpy": [3.0, 3.0, 3.0],
    "matplotlib": b"\x89PNG".hex(),
    "sqlite": [[1]],
    "temporary_files": [True, 2],
    "archives": ["from-tar/in/a.txt", "from-zip/a.txt"],
    "helper": "done\nhelped\n",
    "copied_helper": "done\n",
    "new_interpreter": "[1]\n",
    "asyncio_tasks": ["from a process", "from a thread"],
    "threads": 51,
    "forked_worker": [45, 0],
    "time_zones": "Europe/Berlin",
    "moves": ["link", "moved"],
}
SERVER = {"cwd": str(SANDBOXED_TOOLS / "honest_work")}
WITHOUT_MOUNTS = LAYERS.model_copy(update={"layers": LAYERS.layers - {"mounts"}})


@pytest.fixture(scope="module")
def server(
    loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SandboxedServer]:
    with sandboxed(loop, tmp_path_factory.mktemp("base") / "alice", isolation, **SERVER) as server:
        yield server


@pytest.mark.parametrize("kind", WORK)
def test_work_succeeds_without_violation(server: SandboxedServer, kind: str) -> None:
    outcome = server.call("work", kind=kind, directory=str(server.workspace), username="alice")

    assert (outcome.results, outcome.blocked) == (WORK[kind], [])


@needs_kernel
def test_work_that_sets_modes_and_times_succeeds_without_mounts(
    loop: EventLoop, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with sandboxed(loop, tmp_path_factory.mktemp("base") / "alice", WITHOUT_MOUNTS, **SERVER) as server:
        for kind in ("temporary_files", "archives", "moves"):
            outcome = server.call("work", kind=kind, directory=str(server.workspace), username="alice")

            assert (outcome.results, outcome.blocked) == (WORK[kind], [])
