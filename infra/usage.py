"""AWS usage (requests, invocations, transfers) of one turn of each kind, and of a deployment that is idle for a month.

Tests compare the figures of turns with a run of all functions on moto, and the idle figures with the CDK templates.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from infra.limits import REFRESH_MINUTES, SWEEP_MINUTES, TOOL_LIST_TTL_SECONDS

_HOURS_PER_MONTH = 730
_MINUTES_PER_MONTH = 60 * _HOURS_PER_MONTH


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Billed AWS usage of one turn, including the client's requests, or of an idle month.

    ``invocations`` maps each function to its number of invocations; ``Api`` is invoked once per HTTP request.
    ``transitions`` counts state transitions. ``writes`` and ``reads`` count DynamoDB request units: one for
    each KB of a write (two in a transaction), and one for each read. ``puts`` and ``gets`` count S3 requests.
    ``messages`` counts WebSocket messages. ``gb_out`` is the number of gigabytes that users download.
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
    # The user sends a message, and the model answers without tools.
    "talk": Usage(
        invocations={"Api": 2, "Finish": 1, "Push": 4, "Sockets": 1, "Think": 1},
        transitions=4,
        writes=39,
        reads=48,
        messages=4,
    ),
    # The model runs two tools in parallel, and each reads a file.
    "tools": Usage(
        invocations={
            "Api": 2,
            "Dispatch": 2,
            "Finish": 1,
            "RecordToolResult": 2,
            "Push": 8,
            "Run": 2,
            "Sockets": 1,
            "Think": 2,
        },
        transitions=13,
        writes=82,
        reads=115,
        puts=2,
        gets=3,
        messages=8,
    ),
    # The user uploads a file, a tool creates two files from it, and the user downloads both.
    "file": Usage(
        invocations={
            "Api": 5,
            "Dispatch": 1,
            "Finish": 1,
            "RecordToolResult": 1,
            "Push": 9,
            "Run": 1,
            "Sockets": 1,
            "Think": 2,
        },
        transitions=10,
        writes=127,
        reads=128,
        puts=4,
        gets=7,
        messages=8,
        gb_out=0.001,
    ),
}
MIXES: Mapping[str, Mapping[str, float]] = {
    "talk only": {"talk": 1.0},
    "half of the turns call tools": {"talk": 0.5, "tools": 0.4, "file": 0.1},
    "files only": {"file": 1.0},
}
"""For each named mix of turns, the share of each kind of turn (1.0 in total)."""

MEMORY_MB = {"Run": 1024}
"""Memory of functions that differ from ``DEFAULT_MEMORY_MB``. ``Run`` (runners) has the default of ``mcp.json``."""
DEFAULT_MEMORY_MB = 512

# Estimated run times, not measured on AWS. Think waits for the model, and a runner (``Run``) waits for its tool.
BILLED_MS = {"Think": 3000, "Run": 1500}
DEFAULT_BILLED_MS = 150
LOG_KB = 2
"""Log output of one invocation in KB, including the lines that Lambda adds."""
NEW_ENVIRONMENTS = 0.1
"""The share of tool calls for which Lambda must start a new environment, because the user has no warm one."""

IDLE_MONTH = Usage(
    invocations={
        "Expire": _MINUTES_PER_MONTH // SWEEP_MINUTES,
        "Refresh": _MINUTES_PER_MONTH // REFRESH_MINUTES,
        "Run": 3 * _HOURS_PER_MONTH * 3600 // TOOL_LIST_TTL_SECONDS,
    },
    reads=8 * _MINUTES_PER_MONTH // SWEEP_MINUTES + 3 * _MINUTES_PER_MONTH // REFRESH_MINUTES,
)
"""The periodic sweeps and tool list requests (three example servers). An idle sweep sends at most 8 index queries."""
# Count the metrics of all alarms, because AWS bills an alarm for each metric that it reads.
SECRETS, KEYS, ALARM_METRICS, DASHBOARDS = 1, 1, 19, 1
"""Numbers of secrets, KMS keys, alarm metrics and dashboards in the templates with the default settings."""
