"""The parts of the server's answers that the command uses. What it does not know it leaves aside."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel


class SessionStarted(BaseModel):
    """Answer of POST /api/sessions."""

    session_id: str


class StoredFile(BaseModel):
    """A file as the API lists it. ``size`` in bytes."""

    file_key: str
    name: str
    size: int
    version: int
    session_id: str | None = None
    created_at: datetime
    download_url: str | None = None


class FileListing(BaseModel):
    """Answer of GET /api/files."""

    files: list[StoredFile]
    cursor: str | None = None


class SignedPart(BaseModel):
    """Permission to send one part of an upload."""

    number: int
    url: str
    headers: dict[str, str]


class SignedParts(BaseModel):
    """Answer of POST …/parts."""

    parts: list[SignedPart]


class UploadedPart(BaseModel):
    """A part that the store has."""

    number: int
    size: int
    sha256: str | None = None


class UnfinishedUpload(BaseModel):
    """An upload on its way; ``stored`` is a page of its parts, where they were asked for."""

    upload_id: str
    name: str
    size: int
    session_id: str | None = None
    part_bytes: int
    part_count: int
    stored: list[UploadedPart] = []
    cursor: str | None = None


class UploadListing(BaseModel):
    """Answer of GET /api/files/uploads."""

    uploads: list[UnfinishedUpload]
    cursor: str | None = None


class TurnStarted(BaseModel):
    """Answer of POST /api/sessions/{id}/turns."""

    turn_id: str
    session_id: str


class TurnEvent(BaseModel):
    """One event of a turn: its payload stands beside ``seq`` and ``type``, so each type fills some of the rest."""

    seq: int
    type: str
    call_id: str = ""
    tool: str | None = None
    percentage: float | None = None
    message: str | None = None
    is_error: bool = False
    error_code: str | None = None


class ToolListing(BaseModel):
    """A tool as its server lists it."""

    server: str
    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}

    @property
    def full_name(self) -> str:
        """Return what it is called by."""
        return f"{self.server}.{self.name}"


class ServerListing(BaseModel):
    """A server with its tools. ``reason``: why it does not start, where it does not."""

    name: str
    description: str = ""
    status: str
    reason: str | None = None
    tools: list[ToolListing] = []


class Listing(BaseModel):
    """Answer of GET /api/tools."""

    servers: list[ServerListing]


class About(BaseModel):
    """Answer of GET /api/config."""

    model: str | None = None


class EventPage(BaseModel):
    """Answer of GET …/events: those after the cursor, and ``next``, the cursor to ask with again unless ``done``."""

    events: list[TurnEvent]
    next: int
    done: bool


class Problem(BaseModel):
    """An error (RFC 9457) with Satchel's stable code."""

    title: str | None = None
    detail: str | None = None
    error_code: str | None = None
