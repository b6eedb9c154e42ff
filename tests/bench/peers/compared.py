"""A warm call of the runner against the same by two peers: a proxy that keeps the server, an adapter that does not."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

import httpx2

from tests.bench.bench_calls import run
from tests.bench.calculator import ARGUMENTS, COMMAND, ENTRY, FOLDER, TOOL, check
from tests.bench.harness import Benchmark, Limit, Pair
from tests.bench.peers.installed import python_of
from tests.bench.runner_calls import bench_runner
from tests.e2e.system import ROOT, free_port

FASTER = Limit("ratio", 1.0)
_READY_SECONDS = 60.0
_LOOK_SECONDS = 0.1
_EVENT = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": TOOL, "arguments": ARGUMENTS}}


@contextmanager
def against_mcpo() -> Iterator[Pair]:
    """Keep both servers warm, and the proxy's connection open."""
    with ExitStack() as stack:
        http = stack.enter_context(_mcpo())
        runner = stack.enter_context(bench_runner(ENTRY))
        yield Pair(measured=partial(run, runner), baseline=partial(_post, http))


@contextmanager
def against_lambda_adapter() -> Iterator[Pair]:
    """Keep the peer's process, as Lambda would; it starts a server for every call by itself."""
    command = [str(python_of("lambda-adapter")), str(ROOT / "tests/bench/peers/lambda_adapter.py"), FOLDER, *COMMAND]
    with ExitStack() as stack:
        runner = stack.enter_context(bench_runner(ENTRY))
        peer = stack.enter_context(subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE))  # noqa: S603  (our own)
        yield Pair(measured=partial(run, runner), baseline=partial(_invoke, peer))


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
    with subprocess.Popen([*mcpo, "--", *COMMAND], cwd=FOLDER, stdout=subprocess.DEVNULL) as proxy:  # noqa: S603  (our own)
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False) as http:
                _wait_for(http, proxy)
                yield http
        finally:
            proxy.kill()  # its server ends by itself; asked to end, it writes a traceback


def _wait_for(http: httpx2.Client, proxy: "subprocess.Popen[bytes]") -> None:
    """Wait until the proxy knows the tool. Raises TimeoutError."""
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until and proxy.poll() is None:
        with suppress(httpx2.TransportError):
            if http.get("/openapi.json").is_success:
                return
        time.sleep(_LOOK_SECONDS)
    raise TimeoutError(f"mcpo is not there (exit code {proxy.poll()})")


def _post(http: httpx2.Client) -> None:
    check(http.post(f"/{TOOL}", json=ARGUMENTS).raise_for_status().json()["results"])


def _invoke(peer: "subprocess.Popen[str]") -> None:
    assert peer.stdin is not None
    assert peer.stdout is not None
    peer.stdin.write(f"{json.dumps(_EVENT)}\n")
    peer.stdin.flush()
    answer = json.loads(peer.stdout.readline())
    check(json.loads(answer["result"]["content"][0]["text"])["results"])


BENCHMARKS = [
    Benchmark(
        name="peer-mcpo",
        measures="a call through the runner's use case, its server warm, AWS in memory",
        against="the same tool through mcpo 0.0.20, an HTTP proxy that keeps its server",
        unit="ms",
        setting=against_mcpo,
        runs=100,
        warm_up=5,
        limit=FASTER,
    ),
    Benchmark(
        name="peer-lambda-adapter",
        measures="a call through the runner's use case, its server warm, AWS in memory",
        against="the same tool through run-mcp-servers-with-aws-lambda 0.5.22, which starts a server for each call",
        unit="ms",
        setting=against_lambda_adapter,
        runs=11,
        limit=FASTER,
    ),
]
