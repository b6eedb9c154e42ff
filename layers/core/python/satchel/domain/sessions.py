"""Sessions and turns as stored."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from satchel.domain.conversation import TokenUsage
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.responses import TurnError


class SessionStatus(StrEnum):
    """An ended session can be read until it is deleted, but not continued."""

    ACTIVE = "active"
    ENDED = "ended"


class Session(BaseModel):
    """A conversation. A new ``epoch`` invalidates all its links; ``running_turn`` is its lock.

    ``model`` is the name of the model for new turns. ``instructions`` are for the model. If None, the deployment's
    defaults apply. ``usage`` is the sum of all turns' tokens.
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
    """The fields of a session that a user may set at its creation or later. Unset fields do not change."""

    title: str | None = None
    model: str | None = None
    instructions: str | None = None


NO_CHANGES = SessionChanges()


class TurnStatus(StrEnum):
    """A turn ends once, with one of the last three."""

    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Turn(BaseModel):
    """One user message and its answer.

    ``tools`` limits the model's tools (None: all of the user's tools). ``groups`` are the user's groups at the start of
    the turn, because only the API knows the signed-in user. ``model`` is the name of the model at the start, ``usage``
    the tokens so far.
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
        """Return True if the turn has ended. Its answer does not change after that."""
        return self.status is not TurnStatus.RUNNING
