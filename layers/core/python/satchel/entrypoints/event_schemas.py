"""The schemas of a turn's events as clients receive them, one model for each event type (docs/events.md).

The schemas appear in OpenAPI, and tests check the events of every use case against them. Responses are not validated
against them at run time, because one invalid event would then hide all other events of its page.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.inputs import Action, Form, Mode
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


class ServersStarting(_TurnEventBase):
    """The tools of these servers were not offered to the model, because the servers are still starting."""

    type: Literal["servers_starting"]
    servers: list[str]


class TokenStream(_TurnEventBase):
    """A piece of a model reply. To get the text of a ``round``, join its pieces with the highest ``attempt``."""

    type: Literal["token_stream"]
    text: str
    round: int
    attempt: int


class ReasoningStream(_TurnEventBase):
    """A piece of a model's reasoning before a reply. Join the pieces of a ``round`` with the highest ``attempt``.

    It may lack pieces, and ends with an ellipsis if it is long. No request to the model and no answer contains it.
    """

    type: Literal["reasoning_stream"]
    text: str
    round: int
    attempt: int


class ToolApprovalRequest(_CallEventBase):
    """A tool call needs the approval of the turn's owner. It waits until ``expires_at``.

    Read its arguments with `GET …/calls/{call_id}/approval`.
    """

    type: Literal["tool_approval_request"]
    tool: str
    server: str
    expires_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class ToolApproval(_CallEventBase):
    """The user approved or denied a tool call. ``edited`` is true if the user changed the arguments."""

    type: Literal["tool_approval"]
    approved: bool
    edited: bool
    reason: str | None


class InputRequested(_CallEventBase):
    """A tool asks the turn's owner a question: a form with ``schema``, or the link ``url``. It waits for the answer.

    Answer with `POST …/calls/{call_id}/input` before ``expires_at``. ``bound_seconds`` is set if the tool is running
    while it waits: the wait is short, so show a countdown. A turn's open questions are in ``inputs`` of its response.
    """

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    type: Literal["input_requested"]
    input_id: str
    tool: str
    mode: Mode
    message: str
    form: Annotated[Form | None, Field(alias="schema")] = None
    url: str | None = None
    expires_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    bound_seconds: int | None = None


class InputAnswered(_CallEventBase):
    """The user answered a tool's question. The answer itself is in no event."""

    type: Literal["input_answered"]
    input_id: str
    action: Action


class ToolStart(_CallEventBase):
    """A tool call starts. ``arguments`` are the arguments of the tool, with file names instead of paths.

    ``app_uri`` is the app that shows the results of the tool. ``GET …/calls/{call_id}/app`` reads it if it is known.
    """

    type: Literal["tool_start"]
    tool: str
    server: str
    arguments: Any
    app_uri: str | None


class ToolProgress(_CallEventBase):
    """A tool reported its progress."""

    type: Literal["tool_progress"]
    progress: float | None
    total: float | None
    percentage: float | None
    message: str


class ToolNotice(_CallEventBase):
    """A tool has reported nothing for ``seconds``. After another ``left_seconds`` of silence, the call is stopped."""

    type: Literal["tool_notice"]
    seconds: int
    left_seconds: int
    message: str


class ToolLog(_CallEventBase):
    """A tool sent a log message."""

    type: Literal["tool_log"]
    level: str
    message: str


class ToolComplete(_CallEventBase):
    """A tool call has finished. The model receives ``results``; ``suggestion`` says how to correct a failed call.

    ``meta_data`` is the tool's meta data without secrets and links. Satchel adds reports of what it refused or could
    not store: ``artifact_problems``, ``canvas_refused``, ``unresolved_files``, ``security_violations``.
    """

    type: Literal["tool_complete"]
    tool: str
    is_error: bool
    error_code: str | None
    suggestion: str | None
    results: Any
    meta_data: dict[str, Any] | None


class FilesUpdate(_CallEventBase):
    """A tool call created files. ``display`` says whether the canvas opens, and which file it shows."""

    type: Literal["intermediate_update"]
    update_type: Literal["files_update"]
    files: list[ResponseArtifact | ResponseDeferred]
    display: ResponseDisplay


class CanvasUpdate(_CallEventBase):
    """A tool call opened a dashboard. If the dashboard needs a token, read the turn to get the token."""

    type: Literal["intermediate_update"]
    update_type: Literal["canvas"]
    canvas: ResponseCanvas


class Notification(_CallEventBase):
    """A tool's message to the user about the files that it created."""

    type: Literal["intermediate_update"]
    update_type: Literal["notification"]
    message: str


class ResponseComplete(_TurnEventBase):
    """The turn has ended with an answer.

    ``response`` has no download links, and null as content of files and as arguments, results and meta data of calls:
    read the turn to get them. It is null if it is too large for an event.
    """

    type: Literal["response_complete"]
    response: FinalResponse | None


class TurnFailed(_TurnEventBase):
    """The turn has ended without an answer."""

    type: Literal["turn_failed"]
    status: Literal["failed", "cancelled"]
    error: TurnError


# IntermediateUpdate is a model class, not a union type: a discriminator in OpenAPI can refer only to named schemas.
class IntermediateUpdate(RootModel[FilesUpdate | CanvasUpdate | Notification]):
    """A result of a tool call. ``update_type`` names the kind of result."""

    root: Annotated[FilesUpdate | CanvasUpdate | Notification, Field(discriminator="update_type")]


TurnEvent = Annotated[
    TurnStarted
    | ServersStarting
    | TokenStream
    | ReasoningStream
    | ToolApprovalRequest
    | ToolApproval
    | InputRequested
    | InputAnswered
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


class TruncatedEvent(BaseModel):
    """An event that is too large for a message, without its own fields. Read it with `GET …/events`."""

    model_config = ConfigDict(extra="forbid")

    seq: int
    turn_id: TurnId
    type: str
    at: datetime
    truncated: Literal[True]


class EventsMessage(BaseModel):
    """Events of a turn, oldest first. ``next`` is the cursor for later events."""

    type: Literal["events"]
    turn_id: TurnId
    events: list[TurnEvent | TruncatedEvent]
    next: int
    done: bool
