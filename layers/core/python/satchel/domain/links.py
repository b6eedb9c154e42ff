"""Claims of signed tokens (download links, erasure confirmations), and the validity check of a link."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel

from satchel.domain.files import FileRecord, is_expired
from satchel.domain.ids import FileKey, LinkId, SessionId, UserName
from satchel.domain.sessions import Session

LINK_ID_KIND = "l"
MAX_LINK_SECONDS = 86_400

Audience = Literal["ui", "tool"]
UI_LINK_SECONDS = 300
CONFIRMATION_SECONDS = 300


class Claims(BaseModel):
    """The claims in a download link's token: permission to download one version of a file.

    ``epoch`` is a counter of the session. Ending the session increments the counter, so links with the earlier number
    stop working. The link expires at ``exp`` (seconds since 1970). A shared link has a ``link_id`` and a stored record.
    Deleting the record revokes the link.
    """

    file_key: FileKey
    version: int
    owner: UserName
    session_id: SessionId | Literal[""]
    epoch: int
    audience: Audience
    exp: int
    link_id: LinkId | Literal[""] = ""


class EraseClaims(BaseModel):
    """The claims in a token that confirms the erasure of a user's data. The user may confirm until ``exp``."""

    owner: UserName
    audience: Literal["erase"] = "erase"
    exp: int


class SharedLink(BaseModel):
    """The stored record of a shared link: its claims, but not its token. Without the record, the link is invalid."""

    claims: Claims
    name: str
    made_at: datetime

    @property
    def link_id(self) -> LinkId | Literal[""]:
        """Return the link's id."""
        return self.claims.link_id

    @property
    def expires_at(self) -> datetime:
        """Return the time at which the link expires."""
        return datetime.fromtimestamp(self.claims.exp, UTC)


class LinkState(BaseModel):
    """The stored records that determine whether a download link is valid. A missing record is None."""

    file: FileRecord | None = None
    session: Session | None = None
    link: SharedLink | None = None


def session_epoch(session: Session | None) -> int:
    """Return the counter that links to a session's files contain, or 0 if the session is missing or None.

    Ending a session increments its counter (``epoch``), so that existing links no longer match and stop working.
    """
    return session.epoch if session else 0


def resolve_link(claims: Claims, state: LinkState, now: datetime) -> FileRecord | None:
    """Return the file version to download, or None if the claims do not match the stored records in ``state``."""
    file = state.file
    if file is None or is_expired(file, now):
        return None
    if claims.session_id != (file.session_id or "") or claims.epoch != session_epoch(state.session):
        return None
    return None if claims.link_id and state.link is None else file
