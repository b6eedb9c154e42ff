"""What a turn comes to: the final response and its parts (DESIGN: references only; links are added when it is read).

Put the final response together from the turn and its calls (DESIGN: HTTP API).
"""

from typing import Any

from pydantic import BaseModel, Field

from satchel.domain.conversation import TokenUsage
from satchel.domain.ids import CallId, FileKey, SessionId, TurnId


class ResponseArtifact(BaseModel):
    """A file that a tool made, as it is shown. ``size`` in bytes; ``position`` from 0, the primary file first."""

    id: str
    type: str
    title: str
    position: int
    name: str
    mime: str
    size: int
    viewer: str
    category: str | None = None
    description: str | None = None
    content: str | None = None
    language: str | None = None
    metadata: dict[str, Any] | None = None
    showable: bool = False
    auto_open: bool = False
    file_key: FileKey
    version: int = 1
    download_url: str | None = Field(default=None, description="A short-lived link; minted when read, never stored.")


class ResponseDeferred(BaseModel):
    """A file that waits for somebody (spec 3 §7)."""

    name: str
    file_key: FileKey
    version: int = 1
    mime: str
    size: int
    description: str | None = None
    reason: str | None = None
    next_actions: list[str] = []
    category: str | None = None
    expires_at: int | None = Field(default=None, description="Seconds since 1970, UTC.")
    download_url: str | None = None


class ResponseDisplay(BaseModel):
    """Where and how to show what was made; ``open_canvas`` is resolved (spec 2 §7, spec 3 §8)."""

    open_canvas: bool = False
    primary_file: str | None = None
    mode: str | None = None
    viewer_hint: str | None = None
    storage_action: str = "store"
    category_hint: str | None = None
    notification: str | None = None


class ResponseCanvas(BaseModel):
    """A dashboard to be shown in a frame (spec 2 §3). ``wants_token``: hand it the ``token`` of a fresh reading."""

    open: bool = True
    id: str
    persistence: str = "session"
    type: str = "iframe"
    url: str
    title: str | None = None
    mode: str | None = None
    wants_token: bool = False
    token: str | None = Field(
        default=None, repr=False, description="A short-lived capability; minted when read, never stored."
    )


class ToolCallSummary(BaseModel):
    """One tool call of the turn. ``results`` is what the model was given (shortened where it was long)."""

    call_id: CallId
    tool: str
    server: str
    arguments: Any = None
    is_error: bool = False
    error_code: str | None = None
    results: Any = None
    meta_data: dict[str, Any] | None = None
    duration_ms: int | None = None


class TurnError(BaseModel):
    """Why a turn failed, in a sentence a person understands."""

    error_code: str
    message: str


class FinalResponse(BaseModel):
    """The answer of a turn. While the turn runs it holds what there is so far.

    ``usage`` counts the tokens of all its rounds, as the model's provider told them.
    """

    turn_id: TurnId
    session_id: SessionId
    status: str
    message: str = ""
    model: str = ""
    usage: TokenUsage = TokenUsage()
    artifacts: list[ResponseArtifact] = []
    deferred_artifacts: list[ResponseDeferred] = []
    display: ResponseDisplay = ResponseDisplay()
    canvas: ResponseCanvas | None = None
    tool_calls: list[ToolCallSummary] = []
    error: TurnError | None = None
