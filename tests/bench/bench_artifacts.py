"""What normalising and storing a tool's files costs in time and memory, beside a bare decode and upload of the same.

Both sides run in fresh processes and send to the same store, which has a process of its own: its memory counts for
neither. One result carries 20 files of 1 MiB as base64, the other names one file of 100 MiB.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from tests.bench.artifacts.sides import INLINE_BYTES, INLINE_FILES, MIB, PATH_BYTES, Kind, SideName
from tests.bench.harness import Benchmark, Limit, Pair
from tests.e2e.system import ROOT

PYTHON = [sys.executable, "-m"]
MAX_RATIO = 1.3
MAX_INLINE_MIB = 3 * INLINE_BYTES / MIB
MAX_PATH_MIB = 32.0

Figure = Literal["ms", "peak_mib"]


@contextmanager
def object_store() -> Iterator[str]:
    """Run the store; yield its URL."""
    command = [*PYTHON, "tests.bench.artifacts.object_store"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as store:  # noqa: S603  (our own)
        try:
            assert store.stdout is not None
            yield f"http://127.0.0.1:{int(store.stdout.readline())}"
        finally:
            store.terminate()


@contextmanager
def setting(kind: Kind, figure: Figure) -> Iterator[Pair]:
    """Each side is a process that lives for one run."""
    with object_store() as url:
        yield Pair(*(partial(_once, kind, side, figure, url) for side in ("satchel", "bare")))


def _once(kind: Kind, side: SideName, figure: Figure, url: str) -> float:
    command = [*PYTHON, "tests.bench.artifacts.child", kind, side]
    done = subprocess.run(command, cwd=ROOT, env=_environment(url), check=True, capture_output=True)  # noqa: S603  (our own)
    return float(json.loads(done.stdout)[figure])


def _environment(url: str) -> dict[str, str]:
    """Nothing of the person's own reaches a side: neither a profile nor a proxy on the way to the store."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SATCHEL_"))}
    keys = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}
    return {**kept, **keys, "AWS_ENDPOINT_URL": url, "AWS_CONFIG_FILE": os.devnull, "NO_PROXY": "127.0.0.1"}


_INLINE = f"{INLINE_FILES} × {INLINE_BYTES // MIB} MiB of base64"  # noqa: RUF001  (the sign for times)
_PATH = f"one file of {PATH_BYTES // MIB} MiB named by its path"
_PUT = "`b64decode(validate=True)` and `put_object` of each"
_UPLOAD = "`upload_file` of it over as many connections"

BENCHMARKS = [
    Benchmark(
        name="artifacts-inline",
        measures=f"{_INLINE} normalised and stored",
        against=_PUT,
        unit="ms",
        setting=partial(setting, "inline", "ms"),
        limit=Limit("ratio", MAX_RATIO),
    ),
    Benchmark(
        name="artifacts-inline-memory",
        measures=f"peak memory above the raw result, {_INLINE}",
        against=f"the same of {_PUT}",
        unit="MiB",
        setting=partial(setting, "inline", "peak_mib"),
        runs=5,
        warm_up=0,
        limit=Limit("measured", MAX_INLINE_MIB),
    ),
    Benchmark(
        name="artifacts-path",
        measures=f"{_PATH}, normalised and stored",
        against=_UPLOAD,
        unit="ms",
        setting=partial(setting, "path", "ms"),
        limit=Limit("ratio", MAX_RATIO),
    ),
    Benchmark(
        name="artifacts-path-memory",
        measures=f"peak memory above the raw result, {_PATH}",
        against=f"the same of {_UPLOAD}",
        unit="MiB",
        setting=partial(setting, "path", "peak_mib"),
        runs=5,
        warm_up=0,
        limit=Limit("measured", MAX_PATH_MIB),
    ),
]
