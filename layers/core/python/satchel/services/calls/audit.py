"""Write down that a tool was called or a file fetched: for the owner, and for whoever reads the logs.

Read what was written down of a session: which tools were called, which files were fetched.

Count a call that has ended: once, by who wrote the first entry about it.
"""

import logging
from dataclasses import dataclass

from satchel.contract import ErrorCode
from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Call, CallResult
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
from satchel.ports.calls import AuditTrail
from satchel.ports.system import Metrics

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RecordAudit:
    """One log line and one item for each entry, however often it comes; what is of no session is logged alone."""

    trail: AuditTrail

    def __call__(self, entry: AuditEntry) -> bool:
        """Keep and log an entry; tell whether it is new. What cannot be kept raises: nothing goes on unnoticed."""
        if entry.session_id is not None and not self.trail.keep(entry.session_id, entry):
            return False
        logger.info("audit", extra=entry.model_dump(mode="json", exclude_none=True))
        return True


_OF_THEIR_OWN = {ErrorCode.E_TIMEOUT: TOOL_TIMEOUTS, ErrorCode.E_TOOL_CRASHED: TOOL_CRASHES}


def count_call(metrics: Metrics, call: Call, result: CallResult) -> None:
    """Note what a call came to, how long it took and how much went in and out."""
    server = call.server or NO_SERVER
    code = result.error_code or ErrorCode.E_TOOL_FAILED if result.is_error else None
    metrics.add(TOOL_CALLS, 1, server, code or OK)
    if call.server is None:
        return
    if code in _OF_THEIR_OWN:
        metrics.add(_OF_THEIR_OWN[ErrorCode(code)], 1, server)
    if result.duration_ms is not None:
        metrics.add(TOOL_CALL_DURATION, result.duration_ms, server)
    metrics.add(TOOL_BYTES_IN, call.bytes_in, server)
    metrics.add(TOOL_BYTES_OUT, sum(file.size for file in result.files), server)


def count_cut_off(metrics: Metrics, call: Call, error_code: str) -> None:
    """Note a call that came to nothing because its turn ended."""
    metrics.add(TOOL_CALLS, 1, call.server or NO_SERVER, error_code)
