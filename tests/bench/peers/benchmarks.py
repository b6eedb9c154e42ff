"""A warm call of the runner compared with two other products: an HTTP proxy and an adapter for Lambda."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

import httpx2

from tests.bench.bench_calls import run
from tests.bench.calculator import ARGUMENTS, COMMAND, ENTRY, FOLDER, TOOL, check
from tests.bench.harness import Benchmark, Comparison, Limit
from tests.bench.in_memory_runner import in_memory_runner
from tests.bench.peers.environments import python_of
from tests.e2e.system_process import ROOT, free_port

_READY_SECONDS = 60.0
_POLL_SECONDS = 0.1
_EVENT = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": TOOL, "arguments": ARGUMENTS}}


@contextmanager
def against_mcpo() -> Iterator[Comparison]:
    """Use warm servers on both sides, and one connection to the proxy."""
    with ExitStack() as stack:
        http = stack.enter_context(_mcpo())
        runner = stack.enter_context(in_memory_runner(ENTRY))
        yield Comparison(measured=partial(run, runner), baseline=partial(_post, http))


@contextmanager
def against_lambda_adapter() -> Iterator[Comparison]:
    """Use one process of the adapter, as Lambda does. The adapter starts a server for every call."""
    command = [str(python_of("lambda-adapter")), str(ROOT / "tests/bench/peers/lambda_adapter.py"), FOLDER, *COMMAND]
    with ExitStack() as stack:
        runner = stack.enter_context(in_memory_runner(ENTRY))
        peer = stack.enter_context(subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE))  # noqa: S603  (pinned requirements)
        yield Comparison(measured=partial(run, runner), baseline=partial(_invoke, peer))


@contextmanager
def _mcpo() -> Iterator[httpx2.Client]:
    port = free_port()
    mcpo = [
        str(python_of("mcpo").with_name("mcpo")),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--log-level",
        "error",
    ]
    with subprocess.Popen([*mcpo, "--", *COMMAND], cwd=FOLDER, stdout=subprocess.DEVNULL) as proxy:  # noqa: S603  (pinned requirements)
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False) as http:
                _wait_until_ready(http, proxy)
                yield http
        finally:
            proxy.kill()  # its server then ends as well; on SIGTERM it prints a traceback


def _wait_until_ready(http: httpx2.Client, proxy: "subprocess.Popen[bytes]") -> None:
    """Wait until the proxy lists the tool. Raises TimeoutError."""
    deadline = time.monotonic() + _READY_SECONDS
    while time.monotonic() < deadline and proxy.poll() is None:
        with suppress(httpx2.TransportError):
            if http.get("/openapi.json").is_success:
                return
        time.sleep(_POLL_SECONDS)
    raise TimeoutError(f"mcpo is not ready (exit code {proxy.poll()})")


def _post(http: httpx2.Client) -> None:
    check(http.post(f"/{TOOL}", json=ARGUMENTS).raise_for_status().json()["results"])


def _invoke(peer: "subprocess.Popen[str]") -> None:
    assert peer.stdin is not None
    assert peer.stdout is not None
    peer.stdin.write(f"{json.dumps(_EVENT)}\n")
    peer.stdin.flush()
    response = json.loads(peer.stdout.readline())
    check(json.loads(response["result"]["content"][0]["text"])["results"])


BENCHMARKS = [
    Benchmark(
        name="peer-mcpo",
        measured="a call through the runner's use case with a warm server and AWS in memory",
        baseline="the same tool through mcpo 0.0.20, an HTTP proxy with a warm server",
        unit="ms",
        setup=against_mcpo,
        runs=100,
        warm_up=5,
        limit=Limit("ratio", 0.8),
    ),
    Benchmark(
        name="peer-lambda-adapter",
        measured="a call through the runner's use case with a warm server and AWS in memory",
        baseline="the same tool through run-mcp-servers-with-aws-lambda 0.5.22, which starts a server for each call",
        unit="ms",
        setup=against_lambda_adapter,
        runs=11,
        limit=Limit("ratio", 1.0),
    ),
]
