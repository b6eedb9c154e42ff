"""Definitions of Satchel's metrics, used by code, dashboards, alarms and docs/observability.md.

CloudWatch bills each combination of dimension values, so there are few. Dimensions never contain the id of a user,
file or turn, or a name that a model invented. No metric repeats what AWS or another metric counts: the log of each
function has its cold starts, and ``ToolCalls`` counts timeouts and crashes by their error codes.
"""

from dataclasses import dataclass
from enum import StrEnum

NAMESPACE = "Satchel"

NO_SERVER = "none"
"""The value of dimension ``Server`` for a tool call that no server received, e.g. a rejected call."""

OK = "ok"
"""The value of dimension ``Outcome`` for a successful call. For a failed call, the value is its error code."""


class Unit(StrEnum):
    """The units of metrics, as CloudWatch names them."""

    COUNT = "Count"
    MILLISECONDS = "Milliseconds"
    BYTES = "Bytes"


@dataclass(frozen=True)
class Metric:
    """The definition of a metric. ``description`` appears in docs/observability.md."""

    name: str
    unit: Unit
    dimensions: tuple[str, ...]
    description: str


TURNS = Metric("Turns", Unit.COUNT, ("Status",), "Turns that ended: `complete`, `failed` or `cancelled`.")
TURN_DURATION = Metric(
    "TurnDuration", Unit.MILLISECONDS, (), "Time from the message to the end of its turn, including approvals."
)
TOOL_CALLS = Metric(
    "ToolCalls",
    Unit.COUNT,
    ("Server", "Outcome"),
    "Tool calls that ended: `ok` or the error code. The server is `none` if no server got the call.",
)
TOOL_CALL_DURATION = Metric("ToolCallDuration", Unit.MILLISECONDS, ("Server",), "Duration of a call in the runner.")
TOOL_BYTES_IN = Metric("ToolBytesIn", Unit.BYTES, (), "Input files of a call.")
TOOL_BYTES_OUT = Metric("ToolBytesOut", Unit.BYTES, (), "Stored output files of a call.")
UPLOADED_BYTES = Metric("UploadedBytes", Unit.BYTES, (), "Size of each completed upload.")
DOWNLOADED_BYTES = Metric("DownloadedBytes", Unit.BYTES, (), "Bytes downloaded by link, whole files or ranges.")
TOKENS_IN = Metric("TokensIn", Unit.COUNT, ("Model",), "Input tokens, if the model reports them.")
TOKENS_OUT = Metric("TokensOut", Unit.COUNT, ("Model",), "Output tokens, if the model reports them.")

METRICS = (
    TURNS,
    TURN_DURATION,
    TOOL_CALLS,
    TOOL_CALL_DURATION,
    TOOL_BYTES_IN,
    TOOL_BYTES_OUT,
    UPLOADED_BYTES,
    DOWNLOADED_BYTES,
    TOKENS_IN,
    TOKENS_OUT,
)
