"""Time until the whole system is ready, compared with its unavoidable imports."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.bench.harness import Benchmark, Comparison, Limit
from tests.e2e.system_process import running_system, serve_command

IMPORTS = "import boto3, fastapi, moto.server"


@contextmanager
def setup() -> Iterator[Comparison]:
    """Start a new process on both sides. The warm-up fills the disk cache."""
    yield Comparison(measured=_start, baseline=_import)


def _start() -> float:
    with running_system(serve_command()) as system:
        return system.ready_seconds  # without the time of its stop


def _import() -> None:
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)  # noqa: S603  (fixed statement)


BENCHMARKS = [
    Benchmark(
        name="start",
        measured="`satchel serve` until it is ready",
        baseline=f"Python that runs `{IMPORTS}`",
        unit="s",
        setup=setup,
        runs=7,
        limit=Limit("measured", 2.5),
    )
]
