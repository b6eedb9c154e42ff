"""Overhead of the runner for a call: claim, heartbeat, workspace, artifacts, normalization and the stored result.

The baseline is fastmcp's client as in its documentation, with the same server and nothing else.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from anyio.from_thread import start_blocking_portal
from fastmcp import Client

from tests.bench.calculator import ARGUMENTS, ENTRY, TOOL, check, transport
from tests.bench.harness import Benchmark, Comparison, Limit
from tests.bench.in_memory_runner import InMemoryRunner, in_memory_runner
from tests.bench.tool_clients import Call, fastmcp_client

MAX_WARM, MAX_FIRST = 1.2, 1.2


@contextmanager
def warm() -> Iterator[Comparison]:
    """Use a warm server on both sides."""
    with in_memory_runner(ENTRY) as runner, fastmcp_client(transport()) as call:
        yield Comparison(measured=partial(run, runner), baseline=partial(_baseline, call))


@contextmanager
def first() -> Iterator[Comparison]:
    """Start a server for each call on both sides. The time of its stop does not count."""
    with in_memory_runner(ENTRY) as runner, start_blocking_portal() as portal:
        yield Comparison(measured=partial(_first, runner), baseline=lambda: portal.call(_baseline_first))


def run(runner: InMemoryRunner) -> None:
    """Call the tool through the use case."""
    check(runner.call(TOOL, ARGUMENTS))


def _baseline(call: Call) -> None:
    check(call(TOOL, ARGUMENTS)["results"])


def _first(runner: InMemoryRunner) -> float:
    runner.restart()
    start = time.perf_counter()
    run(runner)
    return time.perf_counter() - start


async def _baseline_first() -> float:
    start = time.perf_counter()
    async with Client(transport()) as client:
        result = await client.call_tool(TOOL, ARGUMENTS)
        seconds = time.perf_counter() - start
    check((result.structured_content or {})["results"])
    return seconds


BENCHMARKS = [
    Benchmark(
        name="call-warm",
        measured="a call through the runner's use case with a warm server and AWS in memory",
        baseline="the same tool called by fastmcp's client on an open stdio session",
        unit="ms",
        setup=warm,
        runs=200,
        warm_up=10,
        limit=Limit("ratio", MAX_WARM),
    ),
    Benchmark(
        name="call-first",
        measured="the first call through the runner's use case, including the start of the server",
        baseline="the same with fastmcp's client",
        unit="s",
        setup=first,
        runs=11,
        limit=Limit("ratio", MAX_FIRST),
    ),
]
