"""Give a file to whoever has its link, and write down who was given what."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from satchel.domain.audit import KIND_OF_ID, DownloadEntry
from satchel.domain.capabilities import Claims
from satchel.domain.errors import LinkNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import new_id
from satchel.domain.metrics import DOWNLOADED_BYTES
from satchel.ports.clock import Clock
from satchel.ports.metrics import Metrics
from satchel.services.calls.keep_audit import KeepAudit
from satchel.services.files.open_link import OpenLink

logger = logging.getLogger(__name__)

_MOST_SHOWN = 100  # characters of a key that may be anything


@dataclass(frozen=True)
class Download:
    """Fetch a file by its link. It is written down before the first byte goes, so that no fetch goes unnoticed."""

    open_link: OpenLink
    audit: KeepAudit
    clock: Clock
    entropy: Callable[[int], bytes]
    metrics: Metrics

    def __call__(self, file_key: str, token: str) -> FileRecord:
        """Return the version to send. Raises LinkNotFound, which is only logged: writing it would tell by its time."""
        began = self.clock.monotonic()
        attempt = self.open_link.attempt(file_key, token)
        if attempt.claims is None or attempt.file is None:
            of = attempt.claims.owner if attempt.claims else None
            logger.info("download refused", extra={"file_key": file_key[:_MOST_SHOWN], "user": of})
            raise LinkNotFound
        self.audit(self._entry(attempt.claims, attempt.file, began))
        self.metrics.add(DOWNLOADED_BYTES, attempt.file.size)
        return attempt.file

    def _entry(self, claims: Claims, file: FileRecord, began: float) -> DownloadEntry:
        now = self.clock.now()
        return DownloadEntry(
            audit_id=new_id(KIND_OF_ID, now, self.entropy(10)),
            at=now,
            user=claims.owner,
            session_id=claims.session_id or None,
            file_key=claims.file_key,
            version=claims.version,
            audience=claims.audience,
            file_name=file.name,
            size=file.size,
            result="ok",
            duration_seconds=round(self.clock.monotonic() - began, 3),
        )
