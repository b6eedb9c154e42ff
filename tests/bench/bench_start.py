"""How long the whole system takes to be ready, against the imports that it cannot do without."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.bench.harness import Benchmark, Pair
from tests.e2e.system import running_system

IMPORTS = "import boto3, fastapi, moto.server"


@contextmanager
def setting() -> Iterator[Pair]:
    """Both sides start from nothing; the warm-up pair fills the disk cache."""
    yield Pair(measured=_start, baseline=_import)


def _start() -> float:
    with running_system() as system:
        return system.ready_seconds  # its end takes time, too, which is not asked for here


def _import() -> None:
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)  # noqa: S603  (our own line)


BENCHMARKS = [
    Benchmark(
        name="start",
        measures="`satchel serve` from nothing to ready",
        against=f"a bare Python that runs `{IMPORTS}`",
        unit="s",
        setting=setting,
        runs=7,
    )
]
