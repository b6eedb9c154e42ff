"""What goes over the wire that is not a domain model already."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.audit import AuditEntry
from satchel.domain.conversation import TokenUsage, ToolSpec
from satchel.domain.files import FileInfo, FileRecord, Source
from satchel.domain.isolation import Level
from satchel.domain.prompt import MOST_INSTRUCTIONS_CHARS
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Session, SessionChanges, SessionStatus, Turn, TurnStatus
from satchel.entrypoints.events import ToldEvent

Limit = Annotated[int, Query(ge=1, le=100, description="Items a page.")]
Cursor = Annotated[str | None, Query(max_length=2000, description="`cursor` of the page before.")]


class Health(BaseModel):
    """The server is alive."""

    status: str = "ok"
    version: str


class SizeLimits(BaseModel):
    """How much goes which way, in bytes."""

    body_bytes: Annotated[int, Field(description="One request to the API, a file in it included.")]
    message_bytes: Annotated[int, Field(description="A message to the model.")]
    inline_bytes: Annotated[
        int,
        Field(
            description="A file inside JSON, as `b64`: `base64_size_limit_mb`, or less where the transport has less."
        ),
    ]
    file_bytes: Annotated[int, Field(description="Any file: uploaded in parts, or made by a tool.")]
    part_bytes: Annotated[
        int, Field(description="A part of an upload, of files that make no more than 10,000 of them.")
    ]


class ModelOut(BaseModel):
    """A model that the person may choose for a session."""

    name: str
    description: str


class Config(BaseModel):
    """Who is asking, and what this deployment does and allows.

    ``model`` is the one of ``models`` that a session has which names none; None where there is none for this person.
    ``socket_url`` is where connections are opened, with a ticket of ``POST /api/ws-ticket``.
    """

    user: str
    groups: list[str]
    model: str | None
    models: list[ModelOut]
    socket_url: str
    isolation_level: Level
    flags: dict[str, Any]
    limits: SizeLimits


ServerStatus = Literal["ready", "starting", "unavailable"]


class ToolServer(BaseModel):
    """A server with its tools.

    ``status`` is ``starting`` until its tools are known, and ``unavailable`` when it did not start the last time, for
    the ``reason`` given; it is tried again, and its tools are those that it had before.
    """

    name: str
    description: str
    status: ServerStatus
    reason: str | None = None
    tools: list[ToolSpec]


class Tools(BaseModel):
    """What the person may use."""

    servers: list[ToolServer]


class SessionFields(BaseModel):
    """What is said of a session.

    ``model`` is one of those that `GET /api/config` names; without one the session has the first of them.
    ``instructions`` say how the model is to behave, in place of the deployment's own words.
    """

    title: Annotated[str | None, Field(max_length=200)] = None
    model: Annotated[str | None, Field(max_length=200)] = None
    instructions: Annotated[str | None, Field(max_length=MOST_INSTRUCTIONS_CHARS)] = None

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

    events: list[ToldEvent]
    next: int
    done: bool


class SocketTicket(BaseModel):
    """A ticket for one connection, opened before ``expires_at`` at ``{url}?ticket={ticket}``."""

    ticket: str
    expires_at: datetime
    url: str


class FileFields(BaseModel):
    """What is said of a file that is uploaded, as JSON or as a form."""

    name: Annotated[str, Field(max_length=4096)]
    mime: Annotated[str | None, Field(max_length=255)] = None
    session_id: str | None = None


class FileUpload(FileFields):
    """A small file as JSON."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "notes.txt", "b64": "aGVsbG8="}]})

    b64: str


class FileOut(BaseModel):
    """A file in My Files. ``size`` in bytes, ``expires_at`` in seconds since 1970.

    A deferred one says in ``status`` and ``reason`` what it waits for, in ``next_actions`` what may be done next; it is
    gone at ``expires_at``, unless it is kept. A ``temporary`` one goes with its session. ``info`` is what was read from
    the file itself.
    """

    file_key: str
    name: str
    mime: str
    size: int
    source: Source
    version: int
    session_id: str | None
    created_at: datetime
    description: str | None
    category: str | None
    viewer: str | None
    auto_open: bool
    temporary: bool
    expires_at: int | None
    status: str | None
    reason: str | None
    next_actions: list[str]
    info: FileInfo
    download_url: str | None = None

    @classmethod
    def of(cls, record: FileRecord, download_url: str | None = None) -> "FileOut":
        """Show a file."""
        return cls.model_validate({**record.model_dump(), "status": record.status, "download_url": download_url})


class StoreReference(BaseModel):
    """Where a large file lies; of no use outside (spec 3 §6.2)."""

    key: str
    internal: bool = True


class FileContent(FileOut):
    """A file as the spec's processed artifact: ``b64`` up to the limit in force, ``s3_ref`` above it."""

    b64: str | None = None
    s3_ref: StoreReference | None = None


class FilePage(BaseModel):
    """Files, newest first."""

    files: list[FileOut]
    cursor: str | None = None


class AuditPage(BaseModel):
    """What was done in a session, newest first."""

    entries: list[AuditEntry]
    cursor: str | None = None
