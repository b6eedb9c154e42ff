"""One side, once, in a fresh process: `python -m tests.bench.artifacts.child KIND SIDE` prints what it took.

The store is where AWS_ENDPOINT_URL says. The peak is the resident set's high-water mark (VmHWM, set back by the kernel
just before: Linux alone does that) above what the process held with the raw result in memory and the connection open.
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
from tests.bench.artifacts.sides import SIDES, Kind, SideName, raw_result, small_result, total

_STATUS = Path("/proc/self/status")
_RESET_PEAK = "5"  # proc_pid_clear_refs(5)


def run(kind: Kind, side: SideName, workspace: Path) -> dict[str, float]:
    """Return milliseconds and the peak in MiB. Raises ValueError if the store did not get all of it."""
    client, way = clients.s3(), SIDES[side]
    way(client, small_result(), workspace)
    raw = raw_result(kind, workspace)
    _taken()
    gc.collect()
    Path("/proc/self/clear_refs").write_text(_RESET_PEAK, encoding="ascii")
    held, start = _memory("VmRSS"), time.perf_counter()
    way(client, raw, workspace)
    elapsed, peak = time.perf_counter() - start, _memory("VmHWM") - held
    if (taken := _taken()) != total(kind):
        raise ValueError(f"{taken} bytes came to the store instead of {total(kind)}")
    return {"ms": 1000 * elapsed, "peak_mib": peak}


def _memory(what: str) -> float:
    """Return one of this process's figures in MiB."""
    line = next(line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith(f"{what}:"))
    return int(line.split()[1]) / 1024


def _taken() -> int:
    """Ask the store how much it was sent since it was asked last."""
    return int(httpx2.get(os.environ["AWS_ENDPOINT_URL"], trust_env=False).text)


if __name__ == "__main__":
    chosen_kind, chosen_side = TypeAdapter(tuple[Kind, SideName]).validate_python(tuple(sys.argv[1:]))
    with tempfile.TemporaryDirectory() as directory:
        sys.stdout.write(json.dumps(run(chosen_kind, chosen_side, Path(directory))))
