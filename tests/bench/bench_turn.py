"""Overhead of a turn over its tool call: the API, the state machine, five functions, the records and the events."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.bench.harness import Benchmark, Comparison, Limit
from tests.e2e.system_process import ROOT, running_system, serve_command
from tests.e2e.user_client import UserClient

ARGUMENTS = {"expression": "1+1"}
MESSAGE = '/calculator.evaluate {"expression": "1+1"}'
SERVER = StdioServerParameters(command=sys.executable, args=["main.py"], cwd=ROOT / "functions/servers/calculator")


@contextmanager
def setup() -> Iterator[Comparison]:
    """Use one session of a running system, and one client with its own process of the same server. Both are warm."""
    with ExitStack() as stack:
        system = stack.enter_context(running_system(serve_command()))
        http = stack.enter_context(UserClient(system.url, "bench@example.com").client())
        session = http.post("/api/sessions", json={}).raise_for_status().json()["session_id"]
        portal = stack.enter_context(start_blocking_portal())
        client = stack.enter_context(portal.wrap_async_context_manager(Client(SERVER)))

        def turn() -> None:
            path, headers = f"/api/sessions/{session}/turns", {"Prefer": "wait=25"}
            response = http.post(path, json={"message": MESSAGE}, headers=headers)
            _check(response.is_success and response.json()["tool_calls"][0]["results"], response.text)

        def call() -> None:
            result = portal.call(client.call_tool, "evaluate", ARGUMENTS)
            _check((result.structured_content or {}).get("results"), result)

        yield Comparison(measured=turn, baseline=call)


def _check(results: Any, response: object) -> None:  # noqa: ANN401  (JSON of a tool)
    """Raise ValueError if the call failed, because a failed call has no meaningful time."""
    if not results or results["result"] != 2:
        raise ValueError(f"1+1 was not 2: {response}")


BENCHMARKS = [
    Benchmark(
        name="turn",
        measured="a whole turn with one warm tool call, over HTTP",
        baseline="the same tool called by `mcp.Client` on an open stdio session",
        unit="ms",
        setup=setup,
        runs=20,
        warm_up=2,
        limit=Limit("ratio", 35),
    )
]
