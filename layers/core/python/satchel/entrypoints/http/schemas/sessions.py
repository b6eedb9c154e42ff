"""TODO."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.audit import AuditEntry
from satchel.domain.conversation import TokenUsage
from satchel.domain.prompt import MAX_INSTRUCTIONS_CHARS
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Session, SessionChanges, SessionStatus, Turn, TurnStatus
from satchel.entrypoints.event_schemas import ClientEvent


class SessionFields(BaseModel):
    """What is said of a session.

    ``model`` is one of those that `GET /api/config` names; without one the session has the first of them.
    ``instructions`` say how the model is to behave, in place of the deployment's own words.
    """

    title: Annotated[str | None, Field(max_length=200)] = None
    model: Annotated[str | None, Field(max_length=200)] = None
    instructions: Annotated[str | None, Field(max_length=MAX_INSTRUCTIONS_CHARS)] = None

    def said(self) -> SessionChanges:
        """Return what is said, without what is left out."""
        return SessionChanges.model_validate(self.model_dump(exclude_unset=True))


class NewSession(SessionFields):
    """A session to start."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "Sales of August"}]})


class SessionPatch(SessionFields):
    """What to change of a session, from its next turn on. What is left out stays; null takes it away."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": "careful", "instructions": "Answer in one sentence."}]}
    )


class SessionOut(BaseModel):
    """A session. ``usage`` counts the tokens of all its turns, as the models' providers told them."""

    session_id: str
    title: str | None
    model: str | None
    status: SessionStatus
    created_at: datetime
    last_used_at: datetime
    running_turn: str | None
    usage: TokenUsage

    @classmethod
    def of(cls, session: Session) -> Self:
        """Show a session."""
        return cls.model_validate(session.model_dump())


class SessionPage(BaseModel):
    """Sessions, newest first."""

    sessions: list[SessionOut]
    cursor: str | None = None


class TurnOut(BaseModel):
    """A turn in the story of its session."""

    turn_id: str
    status: TurnStatus
    model: str
    message: str
    answer: str
    usage: TokenUsage
    error: TurnError | None
    created_at: datetime
    ended_at: datetime | None

    @classmethod
    def of(cls, turn: Turn) -> "TurnOut":
        """Show a turn."""
        return cls.model_validate(turn.model_dump())


class SessionWithTurns(SessionOut):
    """A session with a page of its turns, oldest first."""

    instructions: str | None
    turns: list[TurnOut]
    cursor: str | None = None


class TurnAccepted(BaseModel):
    """The turn goes on; ask for it or its events."""

    turn_id: str
    session_id: str
    status: TurnStatus
    turn_url: str
    events_url: str


class EventPage(BaseModel):
    """Events after a cursor. Ask again with ``after=next`` until ``done``."""

    events: list[ClientEvent]
    next: int
    done: bool


class SocketTicket(BaseModel):
    """A ticket for one connection, opened before ``expires_at`` at ``{url}?ticket={ticket}``."""

    ticket: str
    expires_at: datetime
    url: str


class AuditPage(BaseModel):
    """What was done in a session, newest first."""

    entries: list[AuditEntry]
    cursor: str | None = None
