"""The events of a turn as they travel, one model a type: what clients are told to expect (docs/events.md).

They describe, and are tested against every use case that writes an event. A reader is given an event as it was written,
checked or not: one that does not fit must not hide the others of its page.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, RootModel

from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.responses import (
    FinalResponse,
    ResponseArtifact,
    ResponseCanvas,
    ResponseDeferred,
    ResponseDisplay,
    TurnError,
)


class _Told(BaseModel):
    seq: int
    turn_id: TurnId
    at: datetime


class _OfCall(_Told):
    call_id: CallId


class TurnStarted(_Told):
    """The message was taken."""

    type: Literal["turn_started"]
    session_id: SessionId


class TokenStream(_Told):
    """The answer as it grows: of each ``round``, the texts of its highest ``attempt`` so far, one after the other."""

    type: Literal["token_stream"]
    text: str
    round: int
    attempt: int


class ToolApprovalRequest(_OfCall):
    """A call waits for its owner's word, until ``expires_at``."""

    type: Literal["tool_approval_request"]
    tool: str
    server: str
    arguments: Any
    expires_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class ToolApproval(_OfCall):
    """The owner's word; ``edited`` where he changed the arguments."""

    type: Literal["tool_approval"]
    approved: bool
    edited: bool
    reason: str | None


class ToolStart(_OfCall):
    """A tool is called; ``arguments`` as it gets them, files by name."""

    type: Literal["tool_start"]
    tool: str
    server: str
    arguments: Any


class ToolProgress(_OfCall):
    """The tool says how far it is."""

    type: Literal["tool_progress"]
    progress: float | None
    total: float | None
    percentage: float | None
    message: str


class ToolNotice(_OfCall):
    """The tool has been silent for so many seconds, and may be for ``left_seconds`` more."""

    type: Literal["tool_notice"]
    seconds: int
    left_seconds: int
    message: str


class ToolLog(_OfCall):
    """The tool says something."""

    type: Literal["tool_log"]
    level: str
    message: str


class ToolComplete(_OfCall):
    """The call has ended; ``results`` as the model was given them, ``suggestion`` what may help after an error."""

    type: Literal["tool_complete"]
    tool: str
    is_error: bool
    error_code: str | None
    suggestion: str | None
    results: Any


class FilesUpdate(_OfCall):
    """The call made files. ``display`` is resolved: whether, and with which file, the canvas opens."""

    type: Literal["intermediate_update"]
    update_type: Literal["files_update"]
    files: list[ResponseArtifact | ResponseDeferred]
    display: ResponseDisplay


class CanvasUpdate(_OfCall):
    """The call opened a dashboard. A token, where it wants one, comes with the turn itself, read."""

    type: Literal["intermediate_update"]
    update_type: Literal["canvas"]
    canvas: ResponseCanvas


class Notification(_OfCall):
    """What the tool wants the person told about its files."""

    type: Literal["intermediate_update"]
    update_type: Literal["notification"]
    message: str


class ResponseComplete(_Told):
    """The turn is answered. ``response`` is without links; the turn itself, read, has them."""

    type: Literal["response_complete"]
    response: FinalResponse


class TurnFailed(_Told):
    """The turn ended without an answer."""

    type: Literal["turn_failed"]
    status: Literal["failed", "cancelled"]
    error: TurnError


class IntermediateUpdate(RootModel[FilesUpdate | CanvasUpdate | Notification]):
    """What a call brought, by ``update_type``. A model, since OpenAPI's discriminator maps to named schemas alone."""

    root: Annotated[FilesUpdate | CanvasUpdate | Notification, Field(discriminator="update_type")]


ClientEvent = Annotated[
    TurnStarted
    | TokenStream
    | ToolApprovalRequest
    | ToolApproval
    | ToolStart
    | ToolProgress
    | ToolNotice
    | ToolLog
    | ToolComplete
    | IntermediateUpdate
    | ResponseComplete
    | TurnFailed,
    Field(discriminator="type"),
]
