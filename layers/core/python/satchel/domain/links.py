"""Links that people share with themselves, and what every link rests on."""

from datetime import UTC, datetime

from pydantic import BaseModel

from satchel.domain.capabilities import Claims
from satchel.domain.files import FileRecord, expired
from satchel.domain.sessions import Session

KIND_OF_ID = "l"
MOST_SECONDS = 86_400


class SharedLink(BaseModel):
    """A link that was made to last: what it says, never the token itself. Without its record it opens nothing."""

    claims: Claims
    name: str
    made_at: datetime

    @property
    def link_id(self) -> str:
        """Return the id by which it is revoked."""
        return self.claims.link_id

    @property
    def expires_at(self) -> datetime:
        """Return when it ends by itself."""
        return datetime.fromtimestamp(self.claims.exp, UTC)


class Standing(BaseModel):
    """What is kept, at one moment, of all that a link rests on; None for what is not there."""

    file: FileRecord | None = None
    session: Session | None = None
    link: SharedLink | None = None


def epoch_of(session: Session | None) -> int:
    """Return the epoch that links are made and read under; 0 where a file has no session, or outlived it."""
    return session.epoch if session else 0


def opened(claims: Claims, standing: Standing, now: datetime) -> FileRecord | None:
    """Return the version of a file that these claims open now; None where anything of it is gone or was changed."""
    file = standing.file
    if file is None or expired(file, now):
        return None
    if claims.session_id != (file.session_id or "") or claims.epoch != epoch_of(standing.session):
        return None
    return None if claims.link_id and standing.link is None else file
