"""Write down that a tool was called or a file fetched: for the owner, and for whoever reads the logs."""

import logging
from dataclasses import dataclass

from satchel.domain.audit import AuditEntry
from satchel.ports.audit import AuditTrail

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeepAudit:
    """One log line and one item for each entry, however often it comes; what is of no session is logged alone."""

    trail: AuditTrail

    def __call__(self, entry: AuditEntry) -> bool:
        """Keep and log an entry; tell whether it is new. What cannot be kept raises: nothing goes on unnoticed."""
        if entry.session_id is not None and not self.trail.keep(entry.session_id, entry):
            return False
        logger.info("audit", extra=entry.model_dump(mode="json", exclude_none=True))
        return True
