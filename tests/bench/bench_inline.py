"""Files inside a tool's answer, as base64: how long they take on their way from the server to us.

The server makes them once and sends them twice an answer, as fastmcp does with any dict: as text and as structure.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from satchel.domain.servers import ServerEntry
from tests.bench.curves import Curve, Line
from tests.bench.harness import Benchmark, Limit, Pair
from tests.bench.servers.inline import MB
from tests.bench.tool_clients import Call, ours, stock
from tests.e2e.system import ROOT

LARGE, MIDDLE, SMALL = 20, 10, 1  # MB
SIZES = (1, 2, 5, 10, 20, 40)
MAX_OF_STOCK = 1 / 15
SERVER = str(ROOT / "tests/bench/servers/inline.py")
STDIO = ServerEntry(command=[sys.executable, SERVER], network=True)


@contextmanager
def over_stdio() -> Iterator[Pair]:
    """Yield our client and the stock one, each with a server of its own that has answered before."""
    with ours(STDIO) as one, stock(StdioTransport(sys.executable, [SERVER])) as other:
        for call in (one, other):
            fetch(call, SMALL)
        yield Pair(measured=partial(fetch, one, LARGE), baseline=partial(fetch, other, LARGE))


@contextmanager
def over_http() -> Iterator[Pair]:
    """Yield our client over HTTP and over stdio. Raises ValueError if the stock client does what is said it cannot."""
    with http_server() as url, ours(ServerEntry(url=url, allow_private=True)) as one, ours(STDIO) as other:
        if _stock_takes_it(url):
            raise ValueError("the stock client takes large events now")
        yield Pair(measured=partial(fetch, one, LARGE), baseline=partial(fetch, other, LARGE))


@contextmanager
def by_size() -> Iterator[list[Line]]:
    """Yield both clients over stdio; the stock one is not asked for the largest, which take it up to half a minute."""
    with ours(STDIO) as one, stock(StdioTransport(sys.executable, [SERVER])) as other:
        yield [Line("Satchel", partial(fetch, one)), Line("stock client", partial(fetch, other), up_to=MIDDLE)]


@contextmanager
def http_server() -> Iterator[str]:
    """Run the server over HTTP; yield its URL."""
    with subprocess.Popen([sys.executable, SERVER, "http"], stdout=subprocess.PIPE, text=True) as server:  # noqa: S603  (our own)
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"
        finally:
            server.terminate()


def fetch(call: Call, megabytes: int) -> None:
    """Call the tool. Raises ValueError if not all of the file came."""
    came = len(call("inline", {"megabytes": megabytes})["artifacts"][0]["b64"])
    if came != 4 * -(-megabytes * MB // 3):
        raise ValueError(f"{came} characters came")


def _stock_takes_it(url: str) -> bool:
    try:
        with stock(StreamableHttpTransport(url)) as call:
            fetch(call, LARGE)
    except (Exception, BaseExceptionGroup):  # noqa: BLE001  (in what way it refuses is its own matter)
        return False
    return True


_LARGE = f"a file of {LARGE} MB inside an answer"

BENCHMARKS = [
    Benchmark(
        name="inline-stdio",
        measures=f"{_LARGE}, over stdio",
        against="the same by the stock client of fastmcp",
        unit="s",
        setting=over_stdio,
        runs=3,
        limit=Limit("ratio", MAX_OF_STOCK),
        warm_up=0,
    ),
    Benchmark(
        name="inline-http",
        measures=f"{_LARGE}, over HTTP as an event of a stream (which the stock client refuses)",
        against="the same over stdio",
        unit="s",
        setting=over_http,
        runs=5,
    ),
]
CURVES = [
    Curve(
        name="inline-size",
        title="A file inside a tool's answer, over stdio",
        x="size of the file (MB)",
        y="seconds",
        sizes=SIZES,
        setting=by_size,
        max_exponent=1.2,
    )
]
