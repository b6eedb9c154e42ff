"""Honest work passes untouched, whatever walls there are, and nothing of it is taken for an attempt."""

from collections.abc import Iterator
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, walled
from tests.integration.sandbox.walled import SERVERS, Walled

WORK: dict[str, Any] = {
    "csv": [1, 2],
    "parquet": [1, 2],
    "numpy": [3.0, 3.0, 3.0],
    "matplotlib": b"\x89PNG".hex(),
    "sqlite": [[1]],
    "temporary": [True, 2],
    "archives": ["from-tar/in/a.txt", "from-zip/a.txt"],
    "helper": "done\nhelped\n",
    "own_helper": "done\n",
    "another_python": "[1]\n",
    "asynchronous": ["from a process", "from a thread"],
    "threads": 51,
    "forked": [45, 0],
    "time_zones": "Europe/Berlin",
    "moving": ["link", "moved"],
}
SERVER = {"cwd": str(SERVERS / "working")}
WITHOUT_MOUNTS = LAYERS.model_copy(update={"layers": LAYERS.layers - {"mounts"}})


@pytest.fixture(scope="module")
def server(loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walled]:
    with walled(loop, tmp_path_factory.mktemp("base") / "alice", isolation, **SERVER) as made:
        yield made


@pytest.mark.parametrize("kind", WORK)
def test_it_is_done(server: Walled, kind: str) -> None:
    called = server.call("work", kind=kind, place=str(server.workspace), username="alice")

    assert (called.results, called.refused) == (WORK[kind], [])


@needs_kernel
def test_where_mounts_do_not_hold_modes_and_times_stay_as_they_are_without_an_error(
    loop: EventLoop, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with walled(loop, tmp_path_factory.mktemp("base") / "alice", WITHOUT_MOUNTS, **SERVER) as server:
        for kind in ("temporary", "archives", "moving"):
            called = server.call("work", kind=kind, place=str(server.workspace), username="alice")

            assert (called.results, called.refused) == (WORK[kind], [])
