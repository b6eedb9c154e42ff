"""Requests and responses about sessions, their turns, events and audit log, and WebSocket tickets."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Decision
from satchel.domain.conversation import TokenUsage
from satchel.domain.prompt import MAX_INSTRUCTIONS_CHARS
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Rating, Session, SessionChanges, SessionStatus, Turn, TurnStatus
from satchel.entrypoints.event_schemas import TurnEvent


class SessionFields(BaseModel):
    """The fields of a session that the user can set.

    ``model`` is one of the models that `GET /api/config` lists; the default is the first.
    ``instructions`` tell the model how to behave. They replace the deployment's instructions.
    ``pinned`` and ``archived`` are for clients that list sessions: above the others, or apart from them.
    """

    model_config = ConfigDict(extra="forbid")

    title: Annotated[str | None, Field(max_length=200)] = None
    model: Annotated[str | None, Field(max_length=200)] = None
    instructions: Annotated[str | None, Field(max_length=MAX_INSTRUCTIONS_CHARS)] = None
    pinned: bool = False
    archived: bool = False

    def changes(self) -> SessionChanges:
        """Return the changes to apply: only the fields that the request contains."""
        return SessionChanges.model_validate(self.model_dump(exclude_unset=True))


class NewSession(SessionFields):
    """The settings of a new session.

    A ``temporary`` session is in no list and no search. It is deleted for good when it ends, at the latest after a day.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "August sales"}]})

    temporary: bool = False


class SessionPatch(SessionFields):
    """Changes that apply from the session's next turn. Omitted fields stay as they are; null restores the default."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": "careful", "instructions": "Answer in one sentence."}]}
    )


class SessionOut(BaseModel):
    """A session. ``usage`` is the number of tokens that its ended turns used, as reported by the model providers.

    ``waits_for_user``: a tool of the running turn asks the user a question. ``temporary``: the session is not listed.
    """

    session_id: str
    title: str | None
    model: str | None
    status: SessionStatus
    temporary: bool
    pinned: bool
    archived: bool
    created_at: datetime
    last_used_at: datetime
    running_turn: str | None
    waits_for_user: bool
    usage: TokenUsage

    @classmethod
    def of(cls, session: Session) -> Self:
        """Convert a session to its JSON response."""
        return cls.model_validate(
            session.model_dump() | {"waits_for_user": session.waits_for_user, "temporary": session.temporary}
        )


class SessionPage(BaseModel):
    """A page of sessions, newest first."""

    sessions: list[SessionOut]
    cursor: str | None = None


class TurnOut(BaseModel):
    """A turn (one user message and its answer) in the history of its session. ``files`` are keys of attached files."""

    turn_id: str
    status: TurnStatus
    model: str
    message: str
    files: list[str]
    rating: Rating | None
    answer: str
    usage: TokenUsage
    error: TurnError | None
    created_at: datetime
    ended_at: datetime | None
    imported: bool
    after: str | None

    @classmethod
    def of(cls, turn: Turn) -> "TurnOut":
        """Convert a turn to its JSON response."""
        return cls.model_validate(turn.model_dump() | {"imported": turn.imported is not None, "after": turn.after})


class SessionWithTurns(SessionOut):
    """A session and a page of its turns, oldest first."""

    instructions: str | None
    turns: list[TurnOut]
    cursor: str | None = None


class TurnRating(BaseModel):
    """A rating of an answer; null removes the rating."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"rating": "up"}]})

    rating: Literal["up", "down"] | None


class TurnAccepted(BaseModel):
    """The turn was started. Read the turn at ``turn_url`` and its events at ``events_url``."""

    turn_id: str
    session_id: str
    status: TurnStatus
    turn_url: str
    events_url: str


class EventPage(BaseModel):
    """A turn's events after a cursor. Repeat the request with ``after`` set to ``next`` until ``done`` is true."""

    events: list[TurnEvent]
    next: int
    done: bool


class DecisionRequest(Decision):
    """The user's decision about a tool call. An approval must have the ``digest`` of the request that the user saw."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"approved": True, "digest": "9f86d081884c7d65…"}]}
    )


class SocketTicket(BaseModel):
    """A ticket for one WebSocket connection. Connect to ``{url}?ticket={ticket}`` before ``expires_at``."""

    ticket: str
    expires_at: datetime
    url: str


class AuditPage(BaseModel):
    """A page of a session's audit entries, newest first."""

    entries: list[AuditEntry]
    cursor: str | None = None
