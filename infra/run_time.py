"""The run time of functions: the measured processor time, at the share of a core that a memory gives, and waits."""

import json
from collections.abc import Mapping
from functools import cache
from typing import TypedDict

from infra.limits import FULL_CORE_MB
from infra.sources import ROOT

MEASURED = ROOT / "infra" / "processor_time.json"
# Estimated seconds in which a request waits for the model, the tool, or AWS. They are billed, but need no processor.
WAIT_SECONDS = {"think": 3.0, "run_tool": 1.5, "dispatch": 1.6}
DEFAULT_WAIT_SECONDS = 0.1


class FunctionTime(TypedDict):
    """Processor time of a function in seconds: to start an environment (imports and clients), and for a request."""

    start: float
    request: float


class _Measured(TypedDict):
    machine: str
    functions: dict[str, FunctionTime]


@cache
def read_measured() -> tuple[str, Mapping[str, FunctionTime]]:
    """Return the machine of the measurement, and the times of each function by its folder."""
    measured: _Measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    return measured["machine"], measured["functions"]


def elapsed(processor_seconds: float, memory_mb: int) -> float:
    """Return the seconds that this processor time takes with this memory. A function uses one core at most."""
    return processor_seconds / min(1.0, memory_mb / FULL_CORE_MB)


def billed_seconds(folder: str, memory_mb: int) -> float:
    """Return the estimated run time of a request in an environment that has started."""
    _, times = read_measured()
    return elapsed(times[folder]["request"], memory_mb) + WAIT_SECONDS.get(folder, DEFAULT_WAIT_SECONDS)
