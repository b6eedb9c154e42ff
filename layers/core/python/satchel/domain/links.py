"""Links that people share with themselves, and what every link rests on.

The claims of capabilities: short-lived permissions, most of them for somebody who is not signed in.
"""

from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel

from satchel.domain.files import FileRecord, is_expired
from satchel.domain.ids import CanvasId, FileKey, LinkId, SessionId, UserName
from satchel.domain.sessions import Session

LINK_ID_KIND = "l"
MAX_LINK_SECONDS = 86_400


Audience = Literal["ui", "tool"]
UI_LINK_SECONDS = 300
CANVAS_TOKEN_SECONDS = 300
CONFIRMATION_SECONDS = 300


class Claims(BaseModel):
    """Permission to fetch one version of one file.

    ``session_id`` and ``epoch`` tie it to the file's session; ``exp`` in seconds since 1970. ``link_id`` is given where
    a record is kept of it, with which it can be revoked.
    """

    file_key: FileKey
    version: int
    owner: UserName
    session_id: SessionId | Literal[""]
    epoch: int
    audience: Audience
    exp: int
    link_id: LinkId | Literal[""] = ""


class CanvasClaims(BaseModel):
    """For whom a dashboard is shown, and in which session; it opens no file (its audience is its own)."""

    canvas_id: CanvasId
    owner: UserName
    session_id: SessionId
    epoch: int
    audience: Literal["canvas"] = "canvas"
    exp: int


class EraseClaims(BaseModel):
    """A person was told what erasing everything means, and may say it once more until ``exp``; it opens nothing."""

    owner: UserName
    audience: Literal["erase"] = "erase"
    exp: int


class SharedLink(BaseModel):
    """A link that was made to last: what it says, never the token itself. Without its record it opens nothing."""

    claims: Claims
    name: str
    made_at: datetime

    @property
    def link_id(self) -> LinkId | Literal[""]:
        """Return the id by which it is revoked."""
        return self.claims.link_id

    @property
    def expires_at(self) -> datetime:
        """Return when it ends by itself."""
        return datetime.fromtimestamp(self.claims.exp, UTC)


class LinkState(BaseModel):
    """What is kept, at one moment, of all that a link rests on; None for what is not there."""

    file: FileRecord | None = None
    session: Session | None = None
    link: SharedLink | None = None


def session_epoch(session: Session | None) -> int:
    """Return the epoch that links are made and read under; 0 where a file has no session, or outlived it."""
    return session.epoch if session else 0


def resolve_link(claims: Claims, state: LinkState, now: datetime) -> FileRecord | None:
    """Return the version of a file that these claims open now; None where anything of it is gone or was changed."""
    file = state.file
    if file is None or is_expired(file, now):
        return None
    if claims.session_id != (file.session_id or "") or claims.epoch != session_epoch(state.session):
        return None
    return None if claims.link_id and state.link is None else file
