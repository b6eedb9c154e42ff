"""Open a capability: decide whether this token may fetch this file now."""

from dataclasses import dataclass

from satchel.domain.capabilities import Claims
from satchel.domain.errors import LinkNotFound
from satchel.domain.files import FileRecord, expired
from satchel.ports.catalog import Files, Sessions
from satchel.ports.clock import Clock
from satchel.ports.signer import Signer


@dataclass(frozen=True)
class OpenLink:
    """The records are read each time: what was deleted, expired or ended answers as a forged token does."""

    signer: Signer
    files: Files
    sessions: Sessions
    clock: Clock

    def __call__(self, file_key: str, token: str) -> FileRecord:
        """Return the version that the token was made for. Raises LinkNotFound for every refusal."""
        claims = self.signer.read(token, ("ui", "tool"))
        if claims is None or claims.file_key != file_key:
            raise LinkNotFound
        record = self.files.version(claims.owner, file_key, claims.version)
        if record is None or expired(record, self.clock.now()) or not self._session_lives(claims):
            raise LinkNotFound
        return record

    def _session_lives(self, claims: Claims) -> bool:
        """Links die with the session of the file; a file that outlives it gets new ones under the new epoch."""
        if not claims.session_id:
            return True
        session = self.sessions.get(claims.owner, claims.session_id)
        return session is not None and session.epoch == claims.epoch
