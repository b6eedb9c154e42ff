"""Requests and responses about sessions: turns, events, WebSocket tickets, audit log."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.audit import AuditEntry
from satchel.domain.conversation import TokenUsage
from satchel.domain.prompt import MAX_INSTRUCTIONS_CHARS
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Session, SessionChanges, SessionStatus, Turn, TurnStatus
from satchel.entrypoints.event_schemas import TurnEvent


class SessionFields(BaseModel):
    """The fields of a session that the user sets.

    ``model`` is one of the models of `GET /api/config`; the default is the first of them.
    ``instructions`` describe how the model should behave. They replace the instructions of the deployment.
    """

    title: Annotated[str | None, Field(max_length=200)] = None
    model: Annotated[str | None, Field(max_length=200)] = None
    instructions: Annotated[str | None, Field(max_length=MAX_INSTRUCTIONS_CHARS)] = None

    def changes(self) -> SessionChanges:
        """Return the fields that the request contains."""
        return SessionChanges.model_validate(self.model_dump(exclude_unset=True))


class NewSession(SessionFields):
    """A session to start."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "August sales"}]})


class SessionPatch(SessionFields):
    """Changes of a session from its next turn on. A missing field stays as it is; null resets it."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": "careful", "instructions": "Answer in one sentence."}]}
    )


class SessionOut(BaseModel):
    """A session. ``usage`` is the number of tokens of all its turns, as reported by the models' providers."""

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
        """Return the response for a session."""
        return cls.model_validate(session.model_dump())


class SessionPage(BaseModel):
    """Sessions, newest first."""

    sessions: list[SessionOut]
    cursor: str | None = None


class TurnOut(BaseModel):
    """A turn in the history of its session."""

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
        """Return the response for a turn."""
        return cls.model_validate(turn.model_dump())


class SessionWithTurns(SessionOut):
    """A session with a page of its turns, oldest first."""

    instructions: str | None
    turns: list[TurnOut]
    cursor: str | None = None


class TurnAccepted(BaseModel):
    """The turn is running. Read it at ``turn_url``, or its events at ``events_url``."""

    turn_id: str
    session_id: str
    status: TurnStatus
    turn_url: str
    events_url: str


class EventPage(BaseModel):
    """The events after a cursor. Repeat the request with ``after=next`` until ``done``."""

    events: list[TurnEvent]
    next: int
    done: bool


class SocketTicket(BaseModel):
    """A ticket for one WebSocket connection. Connect to ``{url}?ticket={ticket}`` before ``expires_at``."""

    ticket: str
    expires_at: datetime
    url: str


class AuditPage(BaseModel):
    """The audit log of a session, newest first."""

    entries: list[AuditEntry]
    cursor: str | None = None
