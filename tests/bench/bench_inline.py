"""Time for receiving files in Base64 inside the result of a tool.

The server encodes them once and sends them twice in each result, as fastmcp does with any dict: as text and as
structured content.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from satchel.domain.servers import ServerEntry
from tests.bench.curves import Candidate, Curve
from tests.bench.harness import Benchmark, Comparison, Limit
from tests.bench.inline_server import MB
from tests.bench.tool_clients import Call, fastmcp_client, satchel_client
from tests.e2e.system_process import ROOT

LARGE, MEDIUM, SMALL = 20, 10, 1  # MB
SIZES = (1, 2, 5, 10, 20, 40)
MAX_RATIO = 1 / 25
SERVER = str(ROOT / "tests/bench/inline_server.py")
STDIO = ServerEntry(command=[sys.executable, SERVER], network=True)


@contextmanager
def over_stdio() -> Iterator[Comparison]:
    """Yield Satchel's client and fastmcp's, each with a warm server of its own."""
    with satchel_client(STDIO) as satchel, fastmcp_client(StdioTransport(sys.executable, [SERVER])) as fastmcp:
        for call in (satchel, fastmcp):
            fetch(call, SMALL)
        yield Comparison(measured=partial(fetch, satchel, LARGE), baseline=partial(fetch, fastmcp, LARGE))


@contextmanager
def over_http() -> Iterator[Comparison]:
    """Yield Satchel's client over HTTP and over stdio. Raises ValueError if fastmcp's client accepts it as well."""
    with (
        http_server() as url,
        satchel_client(ServerEntry(url=url, allow_private=True)) as http,
        satchel_client(STDIO) as stdio,
    ):
        if _fastmcp_accepts(url):
            raise ValueError("fastmcp's client accepts large events now")
        yield Comparison(measured=partial(fetch, http, LARGE), baseline=partial(fetch, stdio, LARGE))


@contextmanager
def by_size() -> Iterator[list[Candidate]]:
    """Yield both clients over stdio. fastmcp's gets only sizes up to 10 MB, because larger ones take up to 30 s."""
    with satchel_client(STDIO) as satchel, fastmcp_client(StdioTransport(sys.executable, [SERVER])) as fastmcp:
        yield [
            Candidate("Satchel", partial(fetch, satchel)),
            Candidate("fastmcp", partial(fetch, fastmcp), max_size=MEDIUM),
        ]


@contextmanager
def http_server() -> Iterator[str]:
    """Run the server over HTTP and yield its URL."""
    with subprocess.Popen([sys.executable, SERVER, "http"], stdout=subprocess.PIPE, text=True) as server:  # noqa: S603  (our own server)
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"
        finally:
            server.terminate()


def fetch(call: Call, megabytes: int) -> None:
    """Call the tool. Raises ValueError if the file is incomplete."""
    received = len(call("inline", {"megabytes": megabytes})["artifacts"][0]["b64"])
    if received != 4 * -(-megabytes * MB // 3):
        raise ValueError(f"received {received} characters")


def _fastmcp_accepts(url: str) -> bool:
    try:
        with fastmcp_client(StreamableHttpTransport(url)) as call:
            fetch(call, LARGE)
    except (Exception, BaseExceptionGroup):  # noqa: BLE001  (any error means that it does not accept it)
        return False
    return True


_LARGE = f"a file of {LARGE} MB inside a result"

BENCHMARKS = [
    Benchmark(
        name="inline-stdio",
        measured=f"{_LARGE}, over stdio",
        baseline="the same with fastmcp's client",
        unit="s",
        setup=over_stdio,
        runs=5,
        limit=Limit("ratio", MAX_RATIO),
    ),
    Benchmark(
        name="inline-http",
        measured=f"{_LARGE}, over HTTP as an event of a stream (which fastmcp's client rejects)",
        baseline="the same over stdio",
        unit="s",
        setup=over_http,
        runs=5,
    ),
]
CURVES = [
    Curve(
        name="inline-size",
        title="A file inside a result, over stdio",
        x="file size (MB)",
        y="seconds",
        sizes=SIZES,
        setup=by_size,
        max_exponent=1.2,
    )
]
