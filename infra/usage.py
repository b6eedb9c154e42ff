"""AWS usage (requests, invocations, transfers) of one turn of each kind, and of a deployment that is idle for a month.

Tests compare the figures of turns with a run of all functions on moto, and the idle figures with the CDK templates.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from infra.limits import PAGE_CHECK_MINUTES, REFRESH_MINUTES, SWEEP_MINUTES, TOOL_LIST_TTL_SECONDS

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


# A tool made a picture earlier in the session, so each model request reads it.
TURNS: Mapping[str, Usage] = {
    # The user sends a message, and the model answers without tools.
    "talk": Usage(
        invocations={"Api": 2, "Push": 3, "Sockets": 1, "Think": 1},
        writes=26,
        reads=34,
        gets=0,
        messages=3,
    ),
    # The model runs two tools in parallel, and each reads a file.
    "tools": Usage(
        invocations={
            "Api": 2,
            "Dispatch": 2,
            "Push": 6,
            "Run": 2,
            "Sockets": 1,
            "Think": 2,
        },
        transitions=7,
        writes=83,
        reads=75,
        puts=0,
        gets=1,
        messages=8,
    ),
    # The user uploads a file, a tool creates two files from it, and the user downloads both.
    "file": Usage(
        invocations={
            "Api": 5,
            "Dispatch": 1,
            "Push": 10,
            "Run": 1,
            "Sockets": 1,
            "Think": 2,
        },
        transitions=6,
        writes=122,
        reads=110,
        puts=3,
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


@dataclass(frozen=True, kw_only=True)
class ModelTokens:
    """Tokens of model requests: input read from the prompt cache, written to it, and neither; and output."""

    read: int
    written: int
    uncached: int
    output: int


MODEL_TOKENS: Mapping[str, Mapping[str, ModelTokens]] = {
    # Eleven requests: the model calls a tool in ten rounds, and each call creates a file.
    "a turn of ten rounds": {
        "no cache": ModelTokens(read=0, written=0, uncached=78_584, output=290),
        "list moves": ModelTokens(read=27_490, written=52_119, uncached=0, output=290),
        "cached": ModelTokens(read=67_075, written=11_509, uncached=0, output=290),
    },
    # Sixty requests: the model calls one tool in each turn, and each call creates a file.
    "a conversation of 30 turns": {
        "no cache": ModelTokens(read=0, written=0, uncached=1_274_920, output=4_380),
        "list moves": ModelTokens(read=162_401, written=955_435, uncached=0, output=4_380),
        "cached": ModelTokens(read=1_232_901, written=42_019, uncached=0, output=4_380),
    },
}
"""Tokens of model requests to Bedrock. ``list moves``: only the latest message has a list of files, a current one.

The conversations are those of ``tests/integration/models/conversations.py``."""

BRIDGED_REQUESTS: Mapping[str, int] = {"talk": 19, "tools": 23}
"""The number of requests that the bridge sends to the API for a turn of each kind.

Counted in a local run in which the model wrote its answer in 40 pieces in 3 seconds: a request of the events returns as
soon as there is a new one.
"""
BRIDGED_SECONDS = 1.0
"""The estimated time of a bridged turn besides the waits for the model and for tools."""

LOG_KB = 2
"""Log output of one invocation in KB, including the lines that Lambda adds."""
NEW_ENVIRONMENTS = 0.1
"""The share of tool calls for which Lambda must start a new environment, because the user has no warm one."""

IDLE_MONTH = Usage(
    invocations={
        "Expire": _MINUTES_PER_MONTH // SWEEP_MINUTES,
        "PublishPage": _MINUTES_PER_MONTH // PAGE_CHECK_MINUTES,
        "Refresh": _MINUTES_PER_MONTH // REFRESH_MINUTES,
        "Run": 3 * _HOURS_PER_MONTH * 3600 // TOOL_LIST_TTL_SECONDS,
    },
    reads=23 * _MINUTES_PER_MONTH // SWEEP_MINUTES + 3 * _MINUTES_PER_MONTH // REFRESH_MINUTES,
    gets=_MINUTES_PER_MONTH // PAGE_CHECK_MINUTES,
)
"""The periodic sweeps, checks of the page and tool list requests (three example servers).

An idle sweep sends 23 index queries.
"""
METRIC_SERIES: Mapping[str, int] = {
    "DownloadedBytes": 1,
    "ToolBytesIn": 1,
    "ToolBytesOut": 1,
    "ToolCallDuration": 4,
    "ToolCalls": 8,
    "TurnDuration": 1,
    "Turns": 3,
    "UploadedBytes": 1,
}
"""The number of combinations of dimension values of each custom metric in the run of all functions: four servers, and
turns and calls that succeed and fail. The run's model reports no tokens."""
SERIES_PER_MODEL = 2
"""The numbers of input and output tokens, for each model that reports them."""
# Count the metrics of all alarms, because AWS bills an alarm for each metric that it reads.
SECRETS, KEYS, ALARM_METRICS, DASHBOARDS = 1, 1, 17, 1
"""Numbers of secrets, KMS keys, alarm metrics and dashboards in the templates with the default settings."""
