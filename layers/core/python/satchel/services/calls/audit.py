"""Write tool calls and downloads to the audit trail and the log, and count finished calls in the metrics.

Callers count a tool call only if ``RecordAudit`` returned True for the call's audit entry, so each call counts once.
"""

import logging
from dataclasses import dataclass

from satchel.contract import ErrorCode
from satchel.domain.audit import AuditEntry, OfferEntry
from satchel.domain.calls import Call, CallResult
from satchel.domain.metrics import (
    NO_SERVER,
    OK,
    TOOL_BYTES_IN,
    TOOL_BYTES_OUT,
    TOOL_CALL_DURATION,
    TOOL_CALLS,
)
from satchel.ports.calls import AuditTrail
from satchel.ports.system import Metrics

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RecordAudit:
    """Write audit entries to the log. Entries that belong to a session are also stored in the table, each only once."""

    trail: AuditTrail

    def __call__(self, entry: AuditEntry) -> bool:
        """Store and log an entry. Return False if the entry was already stored. Storage errors reach the caller."""
        if entry.session_id is not None and not self.trail.add(entry.session_id, entry):
            return False
        log_audit(entry)
        return True


def log_audit(entry: AuditEntry | OfferEntry) -> None:
    """Write an entry to the log: one that was stored for the first time, or that is not stored."""
    logger.info("audit", extra=entry.model_dump(mode="json", exclude_none=True))


def count_call(metrics: Metrics, call: Call, result: CallResult) -> None:
    """Count a finished tool call in the metrics. Add its duration and file sizes only if it was sent to a server."""
    server = call.server or NO_SERVER
    code = result.error_code or ErrorCode.E_TOOL_FAILED if result.is_error else None
    metrics.add(TOOL_CALLS, 1, server, code or OK)
    if call.server is None:
        return
    if result.duration_ms is not None:
        metrics.add(TOOL_CALL_DURATION, result.duration_ms, server)
    metrics.add(TOOL_BYTES_IN, call.bytes_in)
    metrics.add(TOOL_BYTES_OUT, sum(file.size for file in result.files))


def count_interrupted_call(metrics: Metrics, call: Call, error_code: str) -> None:
    """Count a tool call without a result in the metrics. The call has no result because its turn ended first."""
    metrics.add(TOOL_CALLS, 1, call.server or NO_SERVER, error_code)
