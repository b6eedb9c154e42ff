"""The schemas of a turn's events as clients receive them, one model for each type (docs/events.md).

They document the events in OpenAPI, and tests check the events of every use case against them. Responses are not
validated at run time: one event that does not fit must not hide the others of its page.
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


class _TurnEventBase(BaseModel):
    seq: int
    turn_id: TurnId
    at: datetime


class _CallEventBase(_TurnEventBase):
    call_id: CallId


class TurnStarted(_TurnEventBase):
    """The turn has started."""

    type: Literal["turn_started"]
    session_id: SessionId


class TokenStream(_TurnEventBase):
    """A piece of the streamed answer. A round's text is all pieces of its highest ``attempt`` so far."""

    type: Literal["token_stream"]
    text: str
    round: int
    attempt: int


class ToolApprovalRequest(_CallEventBase):
    """The call waits until ``expires_at`` for the approval of the turn's owner."""

    type: Literal["tool_approval_request"]
    tool: str
    server: str
    arguments: Any
    expires_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class ToolApproval(_CallEventBase):
    """The owner's decision; ``edited`` is true if the owner changed the arguments."""

    type: Literal["tool_approval"]
    approved: bool
    edited: bool
    reason: str | None


class ToolStart(_CallEventBase):
    """The tool is called. ``arguments`` are those that the tool receives, with files by name."""

    type: Literal["tool_start"]
    tool: str
    server: str
    arguments: Any


class ToolProgress(_CallEventBase):
    """The tool reports its progress."""

    type: Literal["tool_progress"]
    progress: float | None
    total: float | None
    percentage: float | None
    message: str


class ToolNotice(_CallEventBase):
    """The tool has been silent for ``seconds``; after ``left_seconds`` more the call is ended."""

    type: Literal["tool_notice"]
    seconds: int
    left_seconds: int
    message: str


class ToolLog(_CallEventBase):
    """The tool wrote a log message."""

    type: Literal["tool_log"]
    level: str
    message: str


class ToolComplete(_CallEventBase):
    """The call has ended. The model receives ``results``; ``suggestion`` says how to correct a failed call."""

    type: Literal["tool_complete"]
    tool: str
    is_error: bool
    error_code: str | None
    suggestion: str | None
    results: Any


class FilesUpdate(_CallEventBase):
    """The call created files. ``display`` is resolved: it says whether the canvas opens, and with which file."""

    type: Literal["intermediate_update"]
    update_type: Literal["files_update"]
    files: list[ResponseArtifact | ResponseDeferred]
    display: ResponseDisplay


class CanvasUpdate(_CallEventBase):
    """The call opened a dashboard. If the dashboard needs a token, read the turn itself to get it."""

    type: Literal["intermediate_update"]
    update_type: Literal["canvas"]
    canvas: ResponseCanvas


class Notification(_CallEventBase):
    """The tool's message to the user about its files."""

    type: Literal["intermediate_update"]
    update_type: Literal["notification"]
    message: str


class ResponseComplete(_TurnEventBase):
    """The turn has ended with an answer. ``response`` has no links: read the turn itself to get them."""

    type: Literal["response_complete"]
    response: FinalResponse


class TurnFailed(_TurnEventBase):
    """The turn ended without an answer."""

    type: Literal["turn_failed"]
    status: Literal["failed", "cancelled"]
    error: TurnError


# A model, because the discriminator of OpenAPI maps only to named schemas.
class IntermediateUpdate(RootModel[FilesUpdate | CanvasUpdate | Notification]):
    """A result of a call, by ``update_type``."""

    root: Annotated[FilesUpdate | CanvasUpdate | Notification, Field(discriminator="update_type")]


TurnEvent = Annotated[
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
