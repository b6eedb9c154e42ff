"""What the walls cost: at the start of a server, and where a tool writes many small files."""

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
from tests.bench.harness import Benchmark, Limit, Pair

FILES = 2000
NOTHING = "pass"
WRITING = f"""
import sys, time
from pathlib import Path
home = Path(sys.argv[1])
home.mkdir(exist_ok=True)
began = time.perf_counter()
for number in range({FILES}):
    (home / str(number)).write_text("some text")
print(1000 * (time.perf_counter() - began))
"""


@contextmanager
def setting(program: str, measured: Callable[[list[str], list[str]], float]) -> Iterator[Pair]:
    """Both sides run a line of Python; one of them behind all walls that this kernel holds."""
    with TemporaryDirectory(prefix="satchel-bench-") as folder:
        workspace = Path(folder).resolve() / "alice"
        workspace.mkdir()
        bare = [sys.executable, "-c", program]
        entry = ServerEntry(command=[*bare, str(workspace / "walled")])
        policy = SandboxPolicy(entry, find_layers(), sys.executable, WorkspaceAccess(workspace, writes=True), workspace)
        nobody, pipe = os.pipe()
        os.set_inheritable(pipe, True)  # noqa: FBT003  (positional only)
        options = [f"runner={os.getpid()}", *policy.launch_options()]
        start = probe.bare_python("launch", *options, "--", *policy.server_command(pipe))
        plain = [*bare, str(workspace / "bare")]
        yield Pair(measured=partial(measured, start, plain), baseline=partial(_milliseconds, program, plain))
        os.close(nobody)
        os.close(pipe)


def _extra_start(walled: list[str], bare: list[str]) -> float:
    return _run(walled)[0] - _run(bare)[0]


def _writing(walled: list[str], _bare: list[str]) -> float:
    return float(_run(walled)[1])


def _milliseconds(program: str, command: list[str]) -> float:
    taken, said = _run(command)
    return taken if program == NOTHING else float(said)


def _run(command: list[str]) -> tuple[float, str]:
    began = time.perf_counter()
    said = subprocess.run(command, check=True, close_fds=False, capture_output=True, text=True).stdout  # noqa: S603  (ours)
    return 1000 * (time.perf_counter() - began), said


BENCHMARKS = [
    Benchmark(
        name="walls-start",
        measures="what the walls add to the start of a Python server",
        against="the start of a bare Python",
        unit="ms",
        setting=partial(setting, NOTHING, _extra_start),
        limit=Limit("measured", 30),
    ),
    Benchmark(
        name="walls-writes",
        measures=f"{FILES:,} small files, written by a tool behind the walls",
        against="the same without walls",
        unit="ms",
        setting=partial(setting, WRITING, _writing),
        limit=Limit("ratio", 1.15),
    ),
]
