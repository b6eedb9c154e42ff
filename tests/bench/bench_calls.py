"""What the runner adds to a call: claim, pulse, corner, collecting, normalising and the outcome, around our client.

The baseline is fastmcp's client as its documentation has it, on the same server, with nothing around it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from anyio.from_thread import start_blocking_portal
from fastmcp import Client

from tests.bench.calculator import ARGUMENTS, ENTRY, TOOL, check, transport
from tests.bench.harness import Benchmark, Limit, Pair
from tests.bench.runner_calls import BenchRunner, bench_runner
from tests.bench.tool_clients import Call, stock

MAX_WARM, MAX_FIRST = 1.5, 1.2


@contextmanager
def warm() -> Iterator[Pair]:
    """Both keep their server."""
    with bench_runner(ENTRY) as runner, stock(transport()) as call:
        yield Pair(measured=partial(run, runner), baseline=partial(_bare, call))


@contextmanager
def first() -> Iterator[Pair]:
    """Both start a server for each call; what its end takes counts for neither."""
    with bench_runner(ENTRY) as runner, start_blocking_portal() as portal:
        yield Pair(measured=partial(_started, runner), baseline=lambda: portal.call(_bare_started))


def run(runner: BenchRunner) -> None:
    """Call the tool through the use case."""
    check(runner.call(TOOL, ARGUMENTS))


def _bare(call: Call) -> None:
    check(call(TOOL, ARGUMENTS)["results"])


def _started(runner: BenchRunner) -> float:
    runner.restart()
    start = time.perf_counter()
    run(runner)
    return time.perf_counter() - start


async def _bare_started() -> float:
    start = time.perf_counter()
    async with Client(transport()) as client:
        result = await client.call_tool(TOOL, ARGUMENTS)
        took = time.perf_counter() - start
    check((result.structured_content or {})["results"])
    return took


BENCHMARKS = [
    Benchmark(
        name="call-warm",
        measures="a call through the runner's use case, its server warm, AWS in memory",
        against="the same tool called by fastmcp's client on a kept stdio session",
        unit="ms",
        setting=warm,
        runs=200,
        warm_up=10,
        limit=Limit("ratio", MAX_WARM),
    ),
    Benchmark(
        name="call-first",
        measures="the first call through the runner's use case, the server's start included",
        against="fastmcp's client: start of the server and call",
        unit="s",
        setting=first,
        runs=11,
        limit=Limit("ratio", MAX_FIRST),
    ),
]
