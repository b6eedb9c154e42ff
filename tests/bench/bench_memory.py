"""Memory of the server of the local run after many turns, compared with its memory after a few."""

from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from tests.bench.harness import Benchmark, Comparison, Limit
from tests.bench.load import LoadResult, UserLoad, run_turns
from tests.e2e.system_process import running_system, serve_command

USERS = 3
FIRST_TURNS, ALL_TURNS = 50, 500
_MIB = 1 << 20


@contextmanager
def setup() -> Iterator[Comparison]:
    """Run all turns in one session of each user, and note the resident memory on the way."""
    # The users send messages without a pause, so they would reach the quota of a minute.
    with running_system(serve_command(), settings={"SATCHEL_USER_TURNS_PER_MINUTE": "9999"}) as system:
        server = psutil.Process(system.process.pid)
        loads = [UserLoad(system.url, number, ["calculator"]) for number in range(USERS)]
        resident = []
        for turns in (FIRST_TURNS, ALL_TURNS - FIRST_TURNS):
            _check(run_turns(loads, -(-turns // USERS)))
            resident.append(server.memory_info().rss / _MIB)
    first, last = resident
    yield Comparison(measured=lambda: last, baseline=lambda: first)


def _check(turns: "LoadResult") -> None:
    """Raise ValueError if a turn failed, because failed turns leave less behind."""
    if turns.errors:
        raise ValueError(f"turns failed: {turns.errors}")


BENCHMARKS = [
    Benchmark(
        name="memory",
        measured=f"resident memory of the local server after {ALL_TURNS} turns",
        baseline=f"the same after {FIRST_TURNS} turns",
        unit="MiB",
        setup=setup,
        runs=1,
        warm_up=0,
        limit=Limit("ratio", 1.2),
    )
]
