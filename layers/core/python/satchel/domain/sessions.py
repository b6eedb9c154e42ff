"""The stored form of sessions and turns."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from satchel.domain.conversation import TokenUsage
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.responses import TurnError


class SessionStatus(StrEnum):
    """The status of a session. An ended session can be read until it is deleted, but not continued."""

    ACTIVE = "active"
    ENDED = "ended"


class Session(BaseModel):
    """A conversation. A new ``epoch`` invalidates all links to its files. ``running_turn`` prevents a second turn.

    ``model`` is the name of the model for new turns, ``instructions`` are its instructions. For None, the deployment's
    default applies. ``usage`` is the sum of all turns' tokens.
    """

    session_id: SessionId
    user: UserName
    title: str | None = None
    model: str | None = None
    instructions: str | None = None
    status: SessionStatus = SessionStatus.ACTIVE
    created_at: datetime
    last_used_at: datetime
    running_turn: TurnId | None = None
    epoch: int = 1
    ended_at: datetime | None = None
    usage: TokenUsage = TokenUsage()


class SessionChanges(BaseModel):
    """The fields of a session that a user may set when creating or changing it. Unset fields do not change."""

    title: str | None = None
    model: str | None = None
    instructions: str | None = None


NO_CHANGES = SessionChanges()


class TurnStatus(StrEnum):
    """The status of a turn: ``running`` until it ends once, with one of the other values."""

    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Turn(BaseModel):
    """One user message and its answer.

    ``tools`` are the only tools that the model may use (None: all the user's tools). ``groups`` are the user's groups
    when the turn started, stored because only the API sees the user's token. ``model`` is the name of the turn's model,
    ``usage`` the tokens so far.
    """

    turn_id: TurnId
    session_id: SessionId
    user: UserName
    groups: list[str]
    model: str = "offline"
    message: str
    tools: list[str] | None = None
    files: list[str] = []
    status: TurnStatus = TurnStatus.RUNNING
    created_at: datetime
    ended_at: datetime | None = None
    answer: str = ""
    error: TurnError | None = None
    usage: TokenUsage = TokenUsage()

    @property
    def has_ended(self) -> bool:
        """Return True if the turn has ended, after which its answer never changes."""
        return self.status is not TurnStatus.RUNNING
