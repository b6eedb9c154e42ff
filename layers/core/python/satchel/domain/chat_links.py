"""Links that show a conversation, read-only, to anyone who has them. No I/O."""

import base64
import hashlib
from datetime import datetime

from pydantic import BaseModel

from satchel.domain.ids import LinkId, SessionId, TurnId, UserName
from satchel.domain.sessions import Session, Turn

DEFAULT_CHAT_LINK_SECONDS = 7 * 86_400
MAX_CHAT_LINK_SECONDS = 90 * 86_400

TOKEN_BYTES = 32
"""The random bytes in the secret of a link. With so many, its digest needs no salt."""


class ChatLink(BaseModel):
    """A link that shows the turns that a session had at ``created_at``. It is valid until ``expires_at``.

    The secret in the link's URL is not stored, only its ``token_digest``. ``epoch`` is the session's counter: ending
    the session increments it, so that the link stops working. With ``with_files``, viewers can download the files.
    ``hidden`` are the turns of other branches than the shared one.
    """

    link_id: LinkId
    owner: UserName
    session_id: SessionId
    epoch: int
    with_files: bool
    created_at: datetime
    expires_at: datetime
    token_digest: str
    hidden: list[TurnId] = []

    def is_valid(self, session: Session | None, now: datetime) -> bool:
        """Return True if the link shows its session (None: the session does not exist)."""
        return session is not None and session.epoch == self.epoch and now < self.expires_at

    def shows(self, turn: Turn) -> bool:
        """Return True if the turn is part of what the owner has shared."""
        return turn.has_ended and turn.created_at <= self.created_at and turn.turn_id not in self.hidden


def new_token(entropy: bytes) -> str:
    """Return the secret of a new link."""
    return base64.urlsafe_b64encode(entropy).decode().rstrip("=")


def digest_token(token: str) -> str:
    """Return what is stored of a link's secret."""
    return hashlib.sha256(token.encode()).hexdigest()
