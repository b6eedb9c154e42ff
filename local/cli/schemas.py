"""Schemas of API responses, reduced to the fields that the commands use."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from satchel.domain.ids import FileKey, SessionId, TurnId, UploadId
from satchel.domain.inputs import OpenInput


class ServerConfig(BaseModel):
    """Response of GET /api/config."""

    model: str | None = None


class ToolHints(BaseModel):
    """A server's hints about the effects of a tool."""

    read_only: bool | None = None
    destructive: bool | None = None


class ToolListing(BaseModel):
    """A tool in the response of GET /api/tools."""

    server: str
    name: str
    title: str | None = None
    description: str = ""
    input_schema: dict[str, Any] = {}
    hints: ToolHints | None = None

    @property
    def full_name(self) -> str:
        """Return the full name that a tool call uses: ``server.tool``."""
        return f"{self.server}.{self.name}"


class ServerListing(BaseModel):
    """An MCP server with its tools. ``reason`` says why the server is unavailable, if it is."""

    name: str
    title: str = ""
    description: str = ""
    status: str
    reason: str | None = None
    since: datetime | None = None
    tools: list[ToolListing] = []


class ServerList(BaseModel):
    """Response of GET /api/tools."""

    servers: list[ServerListing]


class PromptArgument(BaseModel):
    """An argument of a prompt."""

    name: str
    required: bool = False


class PromptListing(BaseModel):
    """A prompt in the response of GET /api/prompts."""

    server: str
    name: str
    arguments: list[PromptArgument] = []

    @property
    def full_name(self) -> str:
        """Return the name that a message uses: ``server.prompt``."""
        return f"{self.server}.{self.name}"


class PromptList(BaseModel):
    """Response of GET /api/prompts."""

    prompts: list[PromptListing]


class OfferedFile(BaseModel):
    """A file of a prompt, with its content as base64."""

    name: str
    b64: str


class PromptMessage(BaseModel):
    """Response of POST /api/prompts."""

    text: str
    files: list[OfferedFile] = []


class SessionStarted(BaseModel):
    """Response of POST /api/sessions."""

    session_id: SessionId


class TurnStarted(BaseModel):
    """Response of POST /api/sessions/{id}/turns."""

    turn_id: TurnId
    session_id: SessionId


class TurnEvent(BaseModel):
    """One event of a turn. The ``type`` determines which optional fields are set."""

    seq: int
    type: str
    call_id: str = ""
    tool: str | None = None
    percentage: float | None = None
    message: str | None = None
    is_error: bool = False
    error_code: str | None = None


class InputRequested(OpenInput):
    """The event that a tool asks the user a question."""

    seq: int
    type: Literal["input_requested"]


class EventPage(BaseModel):
    """Response of GET …/events. If the turn is not ``done``, the next request starts after the cursor ``next``."""

    events: list[Annotated[InputRequested | TurnEvent, Field(union_mode="left_to_right")]]
    next: int
    done: bool


class StoredFile(BaseModel):
    """A file in an API response. ``size`` is in bytes."""

    file_key: FileKey
    name: str
    size: int
    version: int
    session_id: SessionId | None = None
    created_at: datetime
    download_url: str | None = None


class FilePage(BaseModel):
    """Response of GET /api/files."""

    files: list[StoredFile]
    cursor: str | None = None


class SignedPart(BaseModel):
    """Presigned URL for one part of an upload, and the headers that the request must contain."""

    number: int
    url: str
    headers: dict[str, str]


class SignedParts(BaseModel):
    """Response of POST /api/files/uploads/{id}/parts."""

    parts: list[SignedPart]


class UploadedPart(BaseModel):
    """A part of an upload that the server has stored. ``size`` is in bytes, ``sha256`` in base64."""

    number: int
    size: int
    sha256: str | None = None


class UnfinishedUpload(BaseModel):
    """An upload in progress. ``stored`` is a page of its uploaded parts, and is only set by GET …/uploads/{id}."""

    upload_id: UploadId
    name: str
    size: int
    session_id: SessionId | None = None
    part_bytes: int
    part_count: int
    stored: list[UploadedPart] = []
    cursor: str | None = None


class UploadPage(BaseModel):
    """Response of GET /api/files/uploads."""

    uploads: list[UnfinishedUpload]
    cursor: str | None = None


class InvalidField(BaseModel):
    """A field of a request that the server rejected. ``field`` is its path, such as ``body.content.size``."""

    field: str
    message: str


class Problem(BaseModel):
    """An error response (a problem document, RFC 9457) with Satchel's stable error code."""

    title: str | None = None
    detail: str | None = None
    error_code: str | None = None
    errors: list[InvalidField] = []
