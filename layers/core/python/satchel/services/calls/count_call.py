"""Count a call that has ended: once, by who wrote the first entry about it."""

from satchel.contract import ErrorCode
from satchel.domain.calls import Call, CallSettled
from satchel.domain.metrics import (
    NO_SERVER,
    OK,
    TOOL_BYTES_IN,
    TOOL_BYTES_OUT,
    TOOL_CALL_DURATION,
    TOOL_CALLS,
    TOOL_CRASHES,
    TOOL_TIMEOUTS,
)
from satchel.ports.metrics import Metrics

_OF_THEIR_OWN = {ErrorCode.E_TIMEOUT: TOOL_TIMEOUTS, ErrorCode.E_TOOL_CRASHED: TOOL_CRASHES}


def count_call(metrics: Metrics, call: Call, settled: CallSettled) -> None:
    """Note what a call came to, how long it took and how much went in and out."""
    server = call.server or NO_SERVER
    code = settled.error_code or ErrorCode.E_TOOL_FAILED if settled.is_error else None
    metrics.add(TOOL_CALLS, 1, server, code or OK)
    if call.server is None:
        return
    if code in _OF_THEIR_OWN:
        metrics.add(_OF_THEIR_OWN[ErrorCode(code)], 1, server)
    if settled.duration_ms is not None:
        metrics.add(TOOL_CALL_DURATION, settled.duration_ms, server)
    metrics.add(TOOL_BYTES_IN, call.bytes_in, server)
    metrics.add(TOOL_BYTES_OUT, sum(file.size for file in settled.files), server)


def count_cut_off(metrics: Metrics, call: Call, error_code: str) -> None:
    """Note a call that came to nothing because its turn ended."""
    metrics.add(TOOL_CALLS, 1, call.server or NO_SERVER, error_code)
