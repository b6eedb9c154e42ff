"""Make capabilities: the link by which a file can be fetched without being signed in, a dashboard's token."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from satchel.domain.capabilities import CANVAS_SECONDS, UI_SECONDS, Audience, CanvasClaims, Claims
from satchel.domain.files import FileRecord
from satchel.domain.links import epoch_of
from satchel.domain.sessions import Session, SessionStatus
from satchel.ports.catalog import Sessions
from satchel.ports.clock import Clock
from satchel.ports.signer import Signer


@dataclass(frozen=True)
class MintLinks:
    """They are made when a signed-in reader (or a tool) needs one, and never stored."""

    signer: Signer
    sessions: Sessions
    clock: Clock
    public_url: str = ""

    def __call__(self, file: FileRecord) -> str:
        """Return the address of one version of a file, for the page that the person looks at."""
        [address] = self.each([file])
        return address

    def each(self, files: Sequence[FileRecord]) -> list[str]:
        """Return the address of each, in order; their sessions are read at once."""
        sessions, until = self._sessions(files), self._in(UI_SECONDS)
        return [self._address(_claims(file, sessions, "ui", until)) for file in files]

    def for_tool(self, file: FileRecord, seconds: float) -> str:
        """Return the address with the host, for a tool whose call may last so long."""
        claims = _claims(file, self._sessions([file]), "tool", self._in(math.ceil(seconds)))
        return self.public_url + self._address(claims)

    def to_last(self, file: FileRecord, link_id: str, until: int) -> tuple[Claims, str]:
        """Return what a link says that a record is kept of, and its address with the host."""
        claims = _claims(file, self._sessions([file]), "ui", until).model_copy(update={"link_id": link_id})
        return claims, self.public_url + self._address(claims)

    def for_canvas(self, user: str, session_id: str, canvas_id: str) -> str | None:
        """Return the token of a dashboard; none once the session in which it was opened has ended."""
        session = self.sessions.get(user, session_id)
        if session is None or session.status is SessionStatus.ENDED:
            return None
        exp = self._in(CANVAS_SECONDS)
        claims = CanvasClaims(canvas_id=canvas_id, owner=user, session_id=session_id, epoch=session.epoch, exp=exp)
        return self.signer.sign(claims)

    def _in(self, seconds: int) -> int:
        return int(self.clock.now().timestamp()) + seconds

    def _address(self, claims: Claims) -> str:
        return f"/api/files/download/{claims.file_key}?token={self.signer.sign(claims)}"

    def _sessions(self, files: Sequence[FileRecord]) -> Mapping[str, Session]:
        """Return the sessions of files, which are one person's."""
        ids = {file.session_id for file in files if file.session_id}
        return self.sessions.some(files[0].user, ids) if ids else {}


def _claims(file: FileRecord, sessions: Mapping[str, Session], audience: Audience, until: int) -> Claims:
    return Claims(
        file_key=file.file_key,
        version=file.version,
        owner=file.user,
        session_id=file.session_id or "",
        epoch=epoch_of(sessions.get(file.session_id or "")),
        audience=audience,
        exp=until,
    )
