"""What is counted and measured, by name: what writes it, dashboards, alarms and docs/observability.md say the same.

Each metric costs once for each combination of its dimensions' values, so these are few and bounded: no person, no file,
no turn, and no name that a model made up.
"""

from dataclasses import dataclass
from enum import StrEnum

NAMESPACE = "Satchel"

NO_SERVER = "none"
"""The ``Server`` of a call that never came to one: refused before, or of a tool that nobody knows."""

OK = "ok"
"""The ``Outcome`` dimension of a call that succeeded; a failed call has its error code there."""


class Unit(StrEnum):
    """Units, as CloudWatch names them."""

    COUNT = "Count"
    MILLISECONDS = "Milliseconds"
    BYTES = "Bytes"


@dataclass(frozen=True)
class Metric:
    """One thing that is measured; ``means`` is what the documentation says of it."""

    name: str
    unit: Unit
    dimensions: tuple[str, ...]
    description: str


TURNS = Metric("Turns", Unit.COUNT, ("Status",), "Turns that ended: `complete`, `failed` or `cancelled`.")
TURN_DURATION = Metric(
    "TurnDuration", Unit.MILLISECONDS, ("Status",), "From the message to the end of its turn, approvals included."
)
TOOL_CALLS = Metric(
    "ToolCalls",
    Unit.COUNT,
    ("Server", "Outcome"),
    "Tool calls that ended: `ok`, or the error's code. `none` is the server of a call that came to none.",
)
TOOL_CALL_DURATION = Metric("ToolCallDuration", Unit.MILLISECONDS, ("Server",), "How long the runner had the call.")
TOOL_TIMEOUTS = Metric("ToolTimeouts", Unit.COUNT, ("Server",), "Calls that were ended by the clock (`E_TIMEOUT`).")
TOOL_CRASHES = Metric(
    "ToolCrashes", Unit.COUNT, ("Server",), "Calls whose server or runner ended without a word (`E_TOOL_CRASHED`)."
)
TOOL_BYTES_IN = Metric("ToolBytesIn", Unit.BYTES, ("Server",), "Files that a call was given.")
TOOL_BYTES_OUT = Metric("ToolBytesOut", Unit.BYTES, ("Server",), "Files that a call made and that were kept.")
UPLOADED_BYTES = Metric("UploadedBytes", Unit.BYTES, (), "A file that somebody uploaded, at its completion.")
DOWNLOADED_BYTES = Metric("DownloadedBytes", Unit.BYTES, (), "A file that was fetched by its link, whole or in parts.")
TOKENS_IN = Metric("TokensIn", Unit.COUNT, ("Model",), "Tokens that a model read, where it says how many.")
TOKENS_OUT = Metric("TokensOut", Unit.COUNT, ("Model",), "Tokens that a model wrote, where it says how many.")
COLD_STARTS = Metric("ColdStarts", Unit.COUNT, ("Function",), "First invocations of a new environment.")

METRICS = (
    TURNS,
    TURN_DURATION,
    TOOL_CALLS,
    TOOL_CALL_DURATION,
    TOOL_TIMEOUTS,
    TOOL_CRASHES,
    TOOL_BYTES_IN,
    TOOL_BYTES_OUT,
    UPLOADED_BYTES,
    DOWNLOADED_BYTES,
    TOKENS_IN,
    TOKENS_OUT,
    COLD_STARTS,
)
