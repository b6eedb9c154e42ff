"""Give a file to whoever has its link, and write down who was given what.

Open a capability: decide whether this token may fetch this file now.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from satchel.domain.audit import KIND_OF_ID, DownloadEntry
from satchel.domain.errors import LinkNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey, new_id
from satchel.domain.links import Claims, opened
from satchel.domain.metrics import DOWNLOADED_BYTES
from satchel.ports.links import LinkStates, Signer
from satchel.ports.system import Clock, Metrics
from satchel.services.calls.audit import RecordAudit

logger = logging.getLogger(__name__)

_MAX_SHOWN = 100  # characters of a key that may be anything


@dataclass(frozen=True)
class LinkAttempt:
    """What came of showing a token: what it says, if it is ours and for this file, and what it opens, if anything."""

    claims: Claims | None
    file: FileRecord | None


@dataclass(frozen=True)
class OpenLink:
    """The records are read each time, whoever asks with whatever: every refusal costs the same and says the same."""

    signer: Signer
    link_states: LinkStates
    clock: Clock

    def attempt(self, file_key: FileKey, token: str) -> LinkAttempt:
        """Show a token for a file."""
        said = self.signer.read(token, ("ui", "tool"))
        claims = said if said is not None and said.file_key == file_key else None
        [standing] = self.link_states.look([claims or _NOBODY])
        return LinkAttempt(claims, opened(claims, standing, self.clock.now()) if claims else None)

    def __call__(self, file_key: FileKey, token: str) -> FileRecord:
        """Return the version that the token was made for. Raises LinkNotFound for every refusal."""
        file = self.attempt(file_key, token).file
        if file is None:
            raise LinkNotFound
        return file


@dataclass(frozen=True)
class Download:
    """Fetch a file by its link. It is written down before the first byte goes, so that no fetch goes unnoticed."""

    open_link: OpenLink
    audit: RecordAudit
    clock: Clock
    entropy: Callable[[int], bytes]
    metrics: Metrics

    def __call__(self, file_key: FileKey, token: str) -> FileRecord:
        """Return the version to send. Raises LinkNotFound, which is only logged: writing it would tell by its time."""
        began = self.clock.monotonic()
        attempt = self.open_link.attempt(file_key, token)
        if attempt.claims is None or attempt.file is None:
            of = attempt.claims.owner if attempt.claims else None
            logger.info("download refused", extra={"file_key": file_key[:_MAX_SHOWN], "user": of})
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


# Looked for in the place of what a token that is not ours does not say.
_NOBODY = Claims(file_key="f" + "0" * 26, version=0, owner="nobody", session_id="", epoch=0, audience="ui", exp=0)
