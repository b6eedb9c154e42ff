"""Open capability links, and record each download.

Every rejected link costs the same and returns the same error, so neither reveals anything about the file.
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

_MAX_LOGGED_CHARS = 100  # of the requested key, which may be any text

# Looked up for invalid tokens, so that they take as long as valid ones.
_NO_CLAIMS = Claims(file_key="f" + "0" * 26, version=0, owner="nobody", session_id="", epoch=0, audience="ui", exp=0)


@dataclass(frozen=True)
class LinkAttempt:
    """Result of opening a link. ``claims`` is None for an invalid token, ``file`` is None if the link is rejected."""

    claims: Claims | None
    file: FileRecord | None


@dataclass(frozen=True)
class OpenLink:
    """Decide whether a token opens a file now. The records are read for every token, valid or not."""

    signer: Signer
    link_states: LinkStates
    clock: Clock

    def attempt(self, file_key: FileKey, token: str) -> LinkAttempt:
        """Return the claims of the token, if it is valid for this file, and the file, if the token opens it."""
        signed = self.signer.verify(token, ("ui", "tool"))
        claims = signed if signed is not None and signed.file_key == file_key else None
        [state] = self.link_states.get_many([claims or _NO_CLAIMS])
        return LinkAttempt(claims, resolve_link(claims, state, self.clock.now()) if claims else None)

    def __call__(self, file_key: FileKey, token: str) -> FileRecord:
        """Return the file version that the token was made for. Raise LinkNotFound for every rejected token."""
        file = self.attempt(file_key, token).file
        if file is None:
            raise LinkNotFound
        return file


@dataclass(frozen=True)
class Download:
    """Download a file by its link. The audit entry is written before the first byte is sent."""

    open_link: OpenLink
    audit: RecordAudit
    clock: Clock
    entropy: Callable[[int], bytes]
    metrics: Metrics

    def __call__(self, file_key: FileKey, token: str) -> FileRecord:
        """Return the file version to send. Raise LinkNotFound.

        A rejected link is only logged: an audit entry would make some rejections slower, and so reveal valid claims.
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
