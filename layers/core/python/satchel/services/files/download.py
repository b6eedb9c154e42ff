"""Open signed download links, and record each download in the audit trail.

All rejected links take the same time and return the same error, so a rejection reveals nothing about the file.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from satchel.domain.audit import ENTRY_ID_KIND, DownloadEntry
from satchel.domain.errors import LinkNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey, new_id
from satchel.domain.links import Claims, resolve_link
from satchel.domain.metrics import DOWNLOADED_BYTES
from satchel.ports.links import LinkStates, Signer
from satchel.ports.system import Clock, Metrics
from satchel.services.calls.audit import RecordAudit

logger = logging.getLogger(__name__)

_MAX_LOGGED_CHARS = 100  # maximum for a requested file key, which may be any text

# For invalid tokens, look up these claims instead, so that the response takes as long as for valid tokens.
_NO_CLAIMS = Claims(file_key="f" + "0" * 26, version=0, owner="nobody", session_id="", epoch=0, audience="ui", exp=0)


@dataclass(frozen=True)
class LinkAttempt:
    """Result of opening a link. ``claims`` is None for an invalid token. ``file`` is None for a rejected link."""

    claims: Claims | None
    file: FileRecord | None


@dataclass(frozen=True)
class OpenLink:
    """Check if a link's token still opens its file. Always read the same records, so that timing reveals nothing."""

    signer: Signer
    link_states: LinkStates
    clock: Clock

    def attempt(self, file_key: FileKey, token: str) -> LinkAttempt:
        """Return the token's claims if it was signed for this file, and the file if the link still works."""
        signed = self.signer.verify(token, ("ui", "tool"))
        claims = signed if signed is not None and signed.file_key == file_key else None
        [state] = self.link_states.get_many([claims or _NO_CLAIMS])
        return LinkAttempt(claims, resolve_link(claims, state, self.clock.now()) if claims else None)

    def __call__(self, file_key: FileKey, token: str) -> FileRecord:
        """Return the file version to which the token was issued. Raise LinkNotFound if the token is rejected."""
        file = self.attempt(file_key, token).file
        if file is None:
            raise LinkNotFound
        return file


@dataclass(frozen=True)
class Download:
    """Authorize and record a download by link. The audit entry is written before the first byte is sent."""

    open_link: OpenLink
    audit: RecordAudit
    clock: Clock
    entropy: Callable[[int], bytes]
    metrics: Metrics

    def __call__(self, file_key: FileKey, token: str) -> FileRecord:
        """Check the token, record the download and return the file version to send. Raise LinkNotFound.

        Rejected links are not audited: the time for that write would reveal that a rejected link was once valid.
        """
        started = self.clock.monotonic()
        attempt = self.open_link.attempt(file_key, token)
        if attempt.claims is None or attempt.file is None:
            owner = attempt.claims.owner if attempt.claims else None
            logger.info("download refused", extra={"file_key": file_key[:_MAX_LOGGED_CHARS], "user": owner})
            raise LinkNotFound
        self.audit(self._entry(attempt.claims, attempt.file, started))
        self.metrics.add(DOWNLOADED_BYTES, attempt.file.size)
        return attempt.file

    def _entry(self, claims: Claims, file: FileRecord, started: float) -> DownloadEntry:
        now = self.clock.now()
        return DownloadEntry(
            audit_id=new_id(ENTRY_ID_KIND, now, self.entropy(10)),
            at=now,
            user=claims.owner,
            session_id=claims.session_id or None,
            file_key=claims.file_key,
            version=claims.version,
            audience=claims.audience,
            file_name=file.name,
            size=file.size,
            result="ok",
            duration_seconds=round(self.clock.monotonic() - started, 3),
        )
