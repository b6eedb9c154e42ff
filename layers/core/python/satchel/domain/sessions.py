"""Sessions and turns as they are kept."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from satchel.domain.conversation import TokenUsage
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.responses import TurnError


class SessionStatus(StrEnum):
    """An ended session can be read until it is swept, not continued."""

    ACTIVE = "active"
    ENDED = "ended"


class Session(BaseModel):
    """A conversation. ``epoch`` rises when its links must die; ``running_turn`` is the lock on it.

    ``model`` is the name of the one that its turns are to have, ``instructions`` say how it is to behave; None: as the
    deployment has it. ``usage`` is what models took for it so far.
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
    """What a person may change of a session, or say of it when it begins; what is not set stays as it is."""

    title: str | None = None
    model: str | None = None
    instructions: str | None = None


NO_CHANGES = SessionChanges()


class TurnStatus(StrEnum):
    """A turn ends once, in one of the last three."""

    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Turn(BaseModel):
    """One user message and what became of it.

    ``tools`` limits what the model may call (None: all that the person may use); ``groups`` are the person's groups
    when the turn began, since no function past the API sees who is signed in. ``model`` is the name of the one that it
    began with, ``usage`` what it took so far.
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
        """Tell whether it has ended; its answer then stands."""
        return self.status is not TurnStatus.RUNNING
