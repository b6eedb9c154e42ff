"""Make capabilities: the link by which a file can be fetched without being signed in, a dashboard's token."""

from dataclasses import dataclass

from satchel.domain.capabilities import CANVAS_SECONDS, UI_SECONDS, Audience, CanvasClaims, Claims
from satchel.domain.files import FileRecord
from satchel.domain.sessions import SessionStatus
from satchel.ports.catalog import Sessions
from satchel.ports.clock import Clock
from satchel.ports.signer import Signer


@dataclass(frozen=True)
class MintLinks:
    """They are made when a signed-in reader (or a tool) needs one, and never stored."""

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

    def for_canvas(self, user: str, session_id: str, canvas_id: str) -> str | None:
        """Return the token of a dashboard; none once the session in which it was opened has ended."""
        session = self.sessions.get(user, session_id)
        if session is None or session.status is SessionStatus.ENDED:
            return None
        exp = int(self.clock.now().timestamp()) + CANVAS_SECONDS
        claims = CanvasClaims(canvas_id=canvas_id, owner=user, session_id=session_id, epoch=session.epoch, exp=exp)
        return self.signer.sign(claims)

    def _epoch(self, file: FileRecord) -> int:
        session = self.sessions.get(file.user, file.session_id) if file.session_id else None
        return session.epoch if session else 0
