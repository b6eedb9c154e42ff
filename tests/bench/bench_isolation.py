"""Overhead of the sandbox for the start of a server, and for a tool that writes many small files."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from satchel.adapters.sandbox import probe
from satchel.adapters.sandbox.policy import SandboxPolicy, WorkspaceAccess
from satchel.adapters.sandbox.probe import find_layers
from satchel.domain.servers import ServerEntry
from tests.bench.harness import Benchmark, Comparison, Limit

FILES = 2000
EMPTY_PROGRAM = "pass"
WRITING_PROGRAM = f"""
import sys, time
from pathlib import Path
home = Path(sys.argv[1])
home.mkdir(exist_ok=True)
start = time.perf_counter()
for number in range({FILES}):
    (home / str(number)).write_text("some text")
print(1000 * (time.perf_counter() - start))
"""


@contextmanager
def setup(program: str, measured: Callable[[list[str], list[str]], float]) -> Iterator[Comparison]:
    """Run a Python program on both sides, one of them with all sandbox layers of this kernel."""
    with TemporaryDirectory(prefix="satchel-bench-") as folder:
        workspace = Path(folder).resolve() / "alice"
        workspace.mkdir()
        bare = [sys.executable, "-c", program]
        entry = ServerEntry(command=[*bare, str(workspace / "sandboxed")])
        policy = SandboxPolicy(entry, find_layers(), sys.executable, WorkspaceAccess(workspace, writes=True), workspace)
        read_end, write_end = os.pipe()
        os.set_inheritable(write_end, True)  # noqa: FBT003  (positional only)
        options = [f"runner={os.getpid()}", *policy.launch_options()]
        sandboxed = probe.bare_python("launch", *options, "--", *policy.server_command(write_end))
        plain = [*bare, str(workspace / "bare")]
        yield Comparison(measured=partial(measured, sandboxed, plain), baseline=partial(_milliseconds, program, plain))
        os.close(read_end)
        os.close(write_end)


def _extra_start(sandboxed: list[str], plain: list[str]) -> float:
    return _run(sandboxed)[0] - _run(plain)[0]


def _writing(sandboxed: list[str], _plain: list[str]) -> float:
    return float(_run(sandboxed)[1])


def _milliseconds(program: str, command: list[str]) -> float:
    milliseconds, output = _run(command)
    return milliseconds if program == EMPTY_PROGRAM else float(output)


def _run(command: list[str]) -> tuple[float, str]:
    start = time.perf_counter()
    output = subprocess.run(command, check=True, close_fds=False, capture_output=True, text=True).stdout  # noqa: S603  (our own command)
    return 1000 * (time.perf_counter() - start), output


BENCHMARKS = [
    Benchmark(
        name="sandbox-start",
        measured="time that the sandbox adds to the start of a Python server",
        baseline="the start of Python",
        unit="ms",
        setup=partial(setup, EMPTY_PROGRAM, _extra_start),
        limit=Limit("measured", 30),
    ),
    Benchmark(
        name="sandbox-writes",
        measured=f"{FILES:,} small files, written by a sandboxed tool",
        baseline="the same without the sandbox",
        unit="ms",
        setup=partial(setup, WRITING_PROGRAM, _writing),
        limit=Limit("ratio", 1.15),
    ),
]
