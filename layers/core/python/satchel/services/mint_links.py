"""Make the link by which a file can be fetched without being signed in, for a short time."""

from dataclasses import dataclass

from satchel.domain.capabilities import UI_SECONDS, Audience, Claims
from satchel.domain.files import FileRecord
from satchel.ports.catalog import Sessions
from satchel.ports.clock import Clock
from satchel.ports.signer import Signer


@dataclass(frozen=True)
class MintLinks:
    """Links are made when a signed-in reader (or a tool) needs one, and never stored."""

    signer: Signer
    sessions: Sessions
    clock: Clock
    tool_seconds: int
    public_url: str = ""

    def __call__(self, file: FileRecord, audience: Audience = "ui") -> str:
        """Return the address of one version of a file; tools get it with the host."""
        seconds = UI_SECONDS if audience == "ui" else self.tool_seconds
        claims = Claims(
            file_key=file.file_key,
            version=file.version,
            owner=file.user,
            session_id=file.session_id or "",
            epoch=self._epoch(file),
            audience=audience,
            exp=int(self.clock.now().timestamp()) + seconds,
        )
        path = f"/api/files/download/{file.file_key}?token={self.signer.sign(claims)}"
        return path if audience == "ui" else self.public_url + path

    def _epoch(self, file: FileRecord) -> int:
        session = self.sessions.get(file.user, file.session_id) if file.session_id else None
        return session.epoch if session else 0
