"""Download links: signed claims, records of shared links, and the state that keeps a link valid.

The claims of dashboards and of erasure confirmations are here, too.
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
    """Permission to download one version of a file.

    ``session_id`` and ``epoch`` bind it to the file's session; ``exp`` in seconds since 1970. ``link_id`` is the id of
    its record, if it has one; deleting the record revokes the link.
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
    """The user and session of a dashboard. Another audience than in ``Claims``, so that it opens no file."""

    canvas_id: CanvasId
    owner: UserName
    session_id: SessionId
    epoch: int
    audience: Literal["canvas"] = "canvas"
    exp: int


class EraseClaims(BaseModel):
    """The confirmation of an erasure: the user was shown the consequences, and may confirm until ``exp``."""

    owner: UserName
    audience: Literal["erase"] = "erase"
    exp: int


class SharedLink(BaseModel):
    """The record of a shared link: its claims, but not the token. A link without its record is invalid."""

    claims: Claims
    name: str
    made_at: datetime

    @property
    def link_id(self) -> LinkId | Literal[""]:
        """Return the id of the link."""
        return self.claims.link_id

    @property
    def expires_at(self) -> datetime:
        """Return the time when the link expires."""
        return datetime.fromtimestamp(self.claims.exp, UTC)


class LinkState(BaseModel):
    """The stored records that decide about a link's validity, read together. None if a record does not exist."""

    file: FileRecord | None = None
    session: Session | None = None
    link: SharedLink | None = None


def session_epoch(session: Session | None) -> int:
    """Return the session's epoch for links, or 0 if the file has no session or has outlived it."""
    return session.epoch if session else 0


def resolve_link(claims: Claims, state: LinkState, now: datetime) -> FileRecord | None:
    """Return the file version of valid claims, or None if a record is missing or does not match the claims."""
    file = state.file
    if file is None or is_expired(file, now):
        return None
    if claims.session_id != (file.session_id or "") or claims.epoch != session_epoch(state.session):
        return None
    return None if claims.link_id and state.link is None else file
