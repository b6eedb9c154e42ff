"""`python -m tests.bench.artifacts.single_run KIND VARIANT`: run one variant once in a new process, print its figures.

AWS_ENDPOINT_URL is the URL of the store. The peak is the high-water mark of the resident set (VmHWM, reset just before,
which only Linux can do) minus the memory of the process with the raw result loaded and the connection open.
"""

import gc
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import httpx2
from pydantic import TypeAdapter

from satchel.adapters import clients
from tests.bench.artifacts.variants import VARIANTS, Kind, VariantName, raw_result, small_result, total_bytes

_STATUS = Path("/proc/self/status")
_RESET_PEAK = "5"  # proc_pid_clear_refs(5)


def run(kind: Kind, variant: VariantName, workspace: Path) -> dict[str, float]:
    """Return the milliseconds and the peak in MiB. Raises ValueError if the store did not receive all bytes."""
    client, store_artifacts = clients.s3(), VARIANTS[variant]
    store_artifacts(client, small_result(), workspace)
    raw = raw_result(kind, workspace)
    _take_byte_count()
    gc.collect()
    Path("/proc/self/clear_refs").write_text(_RESET_PEAK, encoding="ascii")
    before, start = _read_mebibytes("VmRSS"), time.perf_counter()
    store_artifacts(client, raw, workspace)
    seconds, peak = time.perf_counter() - start, _read_mebibytes("VmHWM") - before
    if (received := _take_byte_count()) != total_bytes(kind):
        raise ValueError(f"the store received {received} bytes instead of {total_bytes(kind)}")
    return {"ms": 1000 * seconds, "peak_mib": peak}


def _read_mebibytes(field: str) -> float:
    line = next(line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) / 1024


def _take_byte_count() -> int:
    """Return the number of bytes that the store received since the last request for it."""
    return int(httpx2.get(os.environ["AWS_ENDPOINT_URL"], trust_env=False).text)


if __name__ == "__main__":
    kind_argument, variant_argument = TypeAdapter(tuple[Kind, VariantName]).validate_python(tuple(sys.argv[1:]))
    with tempfile.TemporaryDirectory() as directory:
        sys.stdout.write(json.dumps(run(kind_argument, variant_argument, Path(directory))))
