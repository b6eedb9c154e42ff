"""What a turn costs beyond the tool itself: the API, the state machine, five functions, the records and the events."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.bench.harness import Benchmark, Pair
from tests.e2e.system import ROOT, running_system

ARGUMENTS = {"expression": "1+1"}
MESSAGE = '/calculator.evaluate {"expression": "1+1"}'
SERVER = StdioServerParameters(command=sys.executable, args=["main.py"], cwd=ROOT / "functions/servers/calculator")


@contextmanager
def setting() -> Iterator[Pair]:
    """One session of the running system, and one client with a process of the same server; both are kept warm."""
    with ExitStack() as stack:
        system = stack.enter_context(running_system())
        http = stack.enter_context(httpx2.Client(base_url=system.url, timeout=60, trust_env=False))
        session = http.post("/api/sessions", json={}).raise_for_status().json()["session_id"]
        portal = stack.enter_context(start_blocking_portal())
        client = stack.enter_context(portal.wrap_async_context_manager(Client(SERVER)))

        def turn() -> None:
            where, wait = f"/api/sessions/{session}/turns", {"Prefer": "wait=25"}
            answer = http.post(where, json={"message": MESSAGE}, headers=wait)
            _check(answer.is_success and answer.json()["tool_calls"][0]["results"], answer.text)

        def call() -> None:
            result = portal.call(client.call_tool, "evaluate", ARGUMENTS)
            _check((result.structured_content or {}).get("results"), result)

        yield Pair(measured=turn, baseline=call)


def _check(results: Any, said: object) -> None:  # noqa: ANN401  (what a tool returned)
    """Make sure that it worked: how long a failure takes means nothing."""
    if not results or results["result"] != 2:
        raise ValueError(f"1+1 was not 2: {said}")


BENCHMARKS = [
    Benchmark(
        name="turn",
        measures="a whole turn with one warm tool call, over HTTP",
        against="the same tool called by `mcp.Client` on a kept stdio session",
        unit="ms",
        setting=setting,
        runs=20,
        warm_up=2,
    )
]
