"""The response of a turn, and its parts. Stored responses have no download links; each read adds new links."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, computed_field

from satchel.domain.conversation import TokenUsage
from satchel.domain.ids import CallId, FileKey, SessionId, TurnId
from satchel.domain.inputs import OpenInput


class ResponseArtifact(BaseModel):
    """A file that a tool created. ``size`` is in bytes. ``position`` starts at 0 for the primary file."""

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
    download_url: str | None = Field(default=None, description="A short-lived link, created when the response is read.")


class ResponseDeferred(BaseModel):
    """A deferred file, which a tool created and which waits for an action by the user."""

    name: str
    file_key: FileKey
    version: int = 1
    mime: str
    size: int
    description: str | None = None
    reason: str | None = None
    status: str | None = Field(default=None, description="The reason in words, without underscores.")
    next_actions: list[str] = Field(default=[], description="Suggested next steps for the user.")
    category: str | None = None
    expires_at: datetime | None = None
    download_url: str | None = None


class ResponseDisplay(BaseModel):
    """Settings for showing a turn's new files. If ``open_canvas`` is true, clients open the panel for files."""

    open_canvas: bool = False
    primary_file: str | None = None
    mode: str | None = None
    viewer_hint: str | None = None
    storage_action: Annotated[str, Field(json_schema_extra={"enum": ["store", "store_and_open", "temporary"]})] = (
        "store"
    )
    category_hint: str | None = None
    notification: str | None = None


class ResponseCanvas(BaseModel):
    """A dashboard to show in a frame. If ``wants_token`` is true, read the turn for a new ``token`` for it."""

    open: bool = True
    id: str
    persistence: str = "session"
    type: str = "iframe"
    url: str
    title: str | None = None
    mode: str | None = None
    wants_token: bool = False
    token: str | None = Field(
        default=None,
        repr=False,
        description="The tool's own token if it set one, otherwise a signed token, created when the response is read.",
    )


class ToolCallSummary(BaseModel):
    """One tool call in the turn. ``results`` is the result that the model got, shortened if it was long."""

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
    """The reason why a turn failed. ``message`` can be shown to the user."""

    error_code: str
    message: str


class FinalResponse(BaseModel):
    """The response of a turn, or the results so far while the turn runs. ``usage`` counts the tokens of all rounds."""

    turn_id: TurnId
    session_id: SessionId
    status: Annotated[str, Field(json_schema_extra={"enum": ["running", "complete", "failed", "cancelled"]})]
    message: Annotated[str, Field(description="The same as `answer`.", json_schema_extra={"deprecated": True})] = ""
    model: str = ""
    usage: TokenUsage = TokenUsage()
    artifacts: list[ResponseArtifact] = []
    deferred_artifacts: list[ResponseDeferred] = []
    display: ResponseDisplay = ResponseDisplay()
    canvas: ResponseCanvas | None = Field(default=None, description="The dashboard that was opened last.")
    canvases: list[ResponseCanvas] = []
    tool_calls: list[ToolCallSummary] = []
    inputs: list[OpenInput] = Field(default=[], description="The questions of tools that wait for the user's answer.")
    error: TurnError | None = None
    imported: bool = False

    @computed_field(description="The model's answer, with the name that it has in the turns of a session.")  # type: ignore[prop-decorator]
    @property
    def answer(self) -> str:
        """Return the model's answer."""
        return self.message
