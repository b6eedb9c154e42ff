"""Time and memory for normalizing and storing the files of a tool, compared with a plain decode and upload.

Both sides run in new processes and send to the same store, which has its own process, so its memory counts for neither.
One result has 20 files of 1 MiB in Base64, the other one file of 100 MiB by path.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from tests.bench.artifacts.variants import INLINE_BYTES, INLINE_FILES, MIB, PATH_BYTES, Kind, VariantName
from tests.bench.harness import Benchmark, Comparison, Limit
from tests.e2e.system_process import ROOT

PYTHON = [sys.executable, "-m"]
MAX_RATIO = 1.3
MAX_INLINE_MIB = 3 * INLINE_BYTES / MIB
MAX_PATH_MIB = 32.0

Figure = Literal["ms", "peak_mib"]


@contextmanager
def object_store() -> Iterator[str]:
    """Run the store and yield its URL."""
    command = [*PYTHON, "tests.bench.artifacts.object_store"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as store:  # noqa: S603  (our own module)
        try:
            assert store.stdout is not None
            yield f"http://127.0.0.1:{int(store.stdout.readline())}"
        finally:
            store.terminate()


@contextmanager
def setup(kind: Kind, figure: Figure) -> Iterator[Comparison]:
    """Run each side in a new process."""
    with object_store() as url:
        yield Comparison(*(partial(_run, kind, variant, figure, url) for variant in ("satchel", "bare")))


def _run(kind: Kind, variant: VariantName, figure: Figure, url: str) -> float:
    command = [*PYTHON, "tests.bench.artifacts.single_run", kind, variant]
    process = subprocess.run(command, cwd=ROOT, env=_environment(url), check=True, capture_output=True)  # noqa: S603  (our own module)
    return float(json.loads(process.stdout)[figure])


def _environment(url: str) -> dict[str, str]:
    """Return an environment without the developer's AWS settings and without a proxy for the store."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SATCHEL_"))}
    keys = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}
    return {**inherited, **keys, "AWS_ENDPOINT_URL": url, "AWS_CONFIG_FILE": os.devnull, "NO_PROXY": "127.0.0.1"}


_INLINE = f"{INLINE_FILES} × {INLINE_BYTES // MIB} MiB of Base64"  # noqa: RUF001  (the sign for times)
_PATH = f"one file of {PATH_BYTES // MIB} MiB by path"
_PUT = "`b64decode(validate=True)` and `put_object` of each"
_UPLOAD = "`upload_file` with as many connections"

BENCHMARKS = [
    Benchmark(
        name="artifacts-inline",
        measured=f"{_INLINE} normalized and stored",
        baseline=_PUT,
        unit="ms",
        setup=partial(setup, "inline", "ms"),
        limit=Limit("ratio", MAX_RATIO),
    ),
    Benchmark(
        name="artifacts-inline-memory",
        measured=f"peak memory besides the raw result, {_INLINE}",
        baseline=f"peak memory of {_PUT}",
        unit="MiB",
        setup=partial(setup, "inline", "peak_mib"),
        runs=5,
        warm_up=0,
        limit=Limit("measured", MAX_INLINE_MIB),
    ),
    Benchmark(
        name="artifacts-path",
        measured=f"{_PATH}, normalized and stored",
        baseline=_UPLOAD,
        unit="ms",
        setup=partial(setup, "path", "ms"),
        limit=Limit("ratio", MAX_RATIO),
    ),
    Benchmark(
        name="artifacts-path-memory",
        measured=f"peak memory besides the raw result, {_PATH}",
        baseline=f"peak memory of {_UPLOAD}",
        unit="MiB",
        setup=partial(setup, "path", "peak_mib"),
        runs=5,
        warm_up=0,
        limit=Limit("measured", MAX_PATH_MIB),
    ),
]
