"""What is used: by one turn of each kind, and by a deployment that nobody uses.

The turns are counted in a run over all functions, and the idle parts in the templates; tests compare both with this.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from infra.limits import REFRESH_MINUTES, SWEEP_MINUTES, TOOLS_KEPT_SECONDS

_MINUTES = 60 * 730  # of a month
_HOURS = 730


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What is counted in one turn, with the requests that belong to it.

    ``invocations`` are by function, and those of ``Api`` are the requests. DynamoDB's are request units: of a KB that
    is written, in a transaction two; of each read one. ``messages`` go over the WebSocket. ``gb_out`` is what people
    fetch.
    """

    invocations: Mapping[str, int]
    transitions: int = 0
    writes: int = 0
    reads: int = 0
    puts: int = 0
    gets: int = 0
    messages: int = 0
    gb_out: float = 0


TURNS: Mapping[str, Usage] = {
    # A message and its answer.
    "talk": Usage(
        invocations={"Api": 2, "Finish": 1, "Push": 4, "Sockets": 1, "Think": 1},
        transitions=4,
        writes=37,
        reads=48,
        messages=4,
    ),
    # Two tool calls side by side, which read a file.
    "tools": Usage(
        invocations={
            "Api": 2,
            "Dispatch": 2,
            "Finish": 1,
            "Normalize": 2,
            "Push": 8,
            "Run": 2,
            "Sockets": 1,
            "Think": 2,
        },
        transitions=13,
        writes=98,
        reads=111,
        puts=3,
        gets=6,
        messages=8,
    ),
    # A file is uploaded, one tool makes two of it, and both are fetched.
    "file": Usage(
        invocations={
            "Api": 5,
            "Dispatch": 1,
            "Finish": 1,
            "Normalize": 1,
            "Push": 9,
            "Run": 1,
            "Sockets": 1,
            "Think": 2,
        },
        transitions=10,
        writes=119,
        reads=120,
        puts=4,
        gets=7,
        messages=8,
        gb_out=0.001,
    ),
}
MIXES: Mapping[str, Mapping[str, float]] = {
    "talk": {"talk": 1.0},
    "every other turn calls tools": {"talk": 0.5, "tools": 0.4, "file": 0.1},
    "files all the time": {"file": 1.0},
}
"""Shares of kinds of turns."""

MEMORY_MB = {"Run": 1024}
"""Of functions with another memory than ``DEFAULT_MEMORY_MB``; of runners what ``mcp.json`` says if nothing else."""
DEFAULT_MEMORY_MB = 512

# Guesses: nothing here was run on AWS. Think waits for the model, a runner for its tool.
BILLED_MS = {"Think": 3000, "Run": 1500}
DEFAULT_BILLED_MS = 150
LOG_KB = 2
"""Of each invocation: Lambda's own lines, and ours."""
NEW_ENVIRONMENTS = 0.1
"""How many of a runner's calls meet no warm environment of their person."""

IDLE_MONTH = Usage(
    invocations={
        "Expire": _MINUTES // SWEEP_MINUTES,
        "Refresh": _MINUTES // REFRESH_MINUTES,
        "Run": 3 * _HOURS * 3600 // TOOLS_KEPT_SECONDS,
    },
    reads=8 * _MINUTES // SWEEP_MINUTES + 3 * _MINUTES // REFRESH_MINUTES,
)
"""The sweeps, and the example servers' lists; a sweep that finds nothing asks the index eight times at most."""
# An alarm is billed by the metrics that it looks at.
SECRETS, ALARM_METRICS, DASHBOARDS = 1, 19, 1
"""What the templates have with their default settings."""
