"""`python -m tests.bench.load [--users N] [--turns N] [--tools NAME]… [--setting NAME=VALUE]…`: a load test.

All users begin at the same time. Each user sends messages one after the other, without a pause, and calls the named
tools in turn; every second user begins with the second tool. So with both tools, each user needs two runners. Prints
the latencies of the turns. Prints also the processor time used, because latencies depend on what else the machine does.
Fails if a turn failed, or if the 95th percentile of the latencies is above 20 s.
"""

import argparse
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import httpx2
import psutil

from tests.e2e.system_process import running_system, serve_command
from tests.e2e.user_client import UserClient, wait_for_tools

MESSAGES = {
    "calculator": '/calculator.evaluate {"expression": "234*97"}',
    "report": '/report.summarise {"filename": "sales.csv"}',
}
SALES = b"date,units\n" + b"".join(b"2024-01-%02d,%d\n" % (day, day * 7 % 5) for day in range(1, 29))
P95_LIMIT_SECONDS = 20.0
_PERCENTILES = {"p50": 50, "p95": 95, "max": 100}


@dataclass(frozen=True)
class Turn:
    """One finished turn. ``position`` counts a user's turns from 0. ``error`` is empty if its tool call succeeded."""

    position: int
    seconds: float
    error: str


@dataclass(frozen=True)
class LoadResult:
    """All turns of a load test, and its duration."""

    turns: Sequence[Turn]
    seconds: float

    @property
    def errors(self) -> list[str]:
        """Return the distinct errors of the turns."""
        return sorted({turn.error for turn in self.turns if turn.error})

    def percentile(self, percent: int) -> float:
        """Return the latency in seconds that this share of the turns did not exceed."""
        latencies = sorted(turn.seconds for turn in self.turns)
        return latencies[min(len(latencies) - 1, len(latencies) * percent // 100)]

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report."""
        yield f"{len(self.turns)} turns in {self.seconds:.0f} s ({len(self.turns) / self.seconds:.1f}/s)"
        latencies = [f"{name} {self.percentile(percent):.1f} s" for name, percent in _PERCENTILES.items()]
        yield f"latency: {', '.join(latencies)}"
        for position in sorted({turn.position for turn in self.turns}):
            times = [turn.seconds for turn in self.turns if turn.position == position]
            yield f"  turn {position + 1} of each user: median {statistics.median(times):.1f} s, max {max(times):.1f} s"
        yield f"failed turns: {sum(bool(turn.error) for turn in self.turns)}"
        yield from self.errors


class CpuMeter:
    """Sums the processor time of all descendants of a process, also of those that end during the measurement."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._seconds: dict[tuple[int, float], float] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._start = self._own()
        self._thread.start()

    def stop(self) -> tuple[float, float]:
        """Return the processor seconds of the process itself, and of its descendants."""
        self._stopped.set()
        self._thread.join()
        return self._own() - self._start, sum(self._seconds.values())

    def _own(self) -> float:
        times = self._process.cpu_times()
        return times.user + times.system

    def _run(self) -> None:
        before: dict[tuple[int, float], float] | None = None
        while not self._stopped.wait(0.5):
            for child in self._process.children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    times = child.cpu_times()
                    self._seconds[child.pid, child.create_time()] = times.user + times.system
            if before is None:
                before = dict(self._seconds)
        for key, seconds in (before or {}).items():
            self._seconds[key] -= seconds


class UserLoad:
    """One user who sends messages, each after the answer to the one before. Creates the session and the input file."""

    def __init__(self, url: str, number: int, tools: Sequence[str]) -> None:
        self._user = UserClient(url, f"load{number}@example.com")
        self._tools = [tools[(number + offset) % len(tools)] for offset in range(len(tools))]
        self._session = self._user.create_session()
        if "report" in tools:
            self._user.upload(self._session, "sales.csv", SALES)

    def run(self, turns: int) -> list[Turn]:
        """Send the messages and return the turns."""
        return [self._turn(position) for position in range(turns)]

    def _turn(self, position: int) -> Turn:
        started = time.monotonic()
        try:
            response = self._user.ask(self._session, MESSAGES[self._tools[position % len(self._tools)]])
            error = "" if response["tool_calls"][0]["results"] else f"a call failed: {response['tool_calls'][0]}"
        except (AssertionError, httpx2.HTTPError, LookupError) as problem:
            error = repr(problem)
        return Turn(position, time.monotonic() - started, error)


def run_turns(loads: Sequence[UserLoad], turns: int) -> LoadResult:
    """Let all users send this number of messages, at the same time."""
    started = time.monotonic()
    with ThreadPoolExecutor(len(loads)) as executor:
        results = list(executor.map(lambda load: load.run(turns), loads))
    return LoadResult([turn for result in results for turn in result], time.monotonic() - started)


def main(arguments: Sequence[str]) -> int:
    """Start a system, run the load test and print its result. Return 1 if turns failed or were too slow."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description="Load a system on this machine.")
    parser.add_argument("--users", type=int, default=50, metavar="N")
    parser.add_argument("--turns", type=int, default=4, metavar="N", help="messages of each user")
    parser.add_argument("--tools", action="append", choices=sorted(MESSAGES), help="default: all of them")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="SATCHEL_… of the system")
    options = parser.parse_args(arguments)
    with running_system(serve_command(), settings=dict(setting.split("=", 1) for setting in options.setting)) as system:
        wait_for_tools(system.url)
        tools = options.tools or sorted(MESSAGES)
        loads = [UserLoad(system.url, number, tools) for number in range(options.users)]
        meter = CpuMeter(system.process.pid)
        result = run_turns(loads, options.turns)
        server, others = meter.stop()
    cores = len(os.sched_getaffinity(0))
    used = (
        f"processor time: {server:.0f} s in the server, {others:.0f} s in runners and tools, of "
        f"{cores * result.seconds:.0f} s on {cores} cores (load average {os.getloadavg()[0]:.1f})"
    )
    sys.stdout.write("\n".join([*result.lines(), used, ""]))
    return 1 if result.errors or result.percentile(95) > P95_LIMIT_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
