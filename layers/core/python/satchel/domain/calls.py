"""A tool call from the model's wish to its outcome.

A person's word before a tool is called, for the tools whose server asks for it (``require_approval``).
"""

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from satchel.contract import ArtifactProblem, Canvas, Display, ErrorCode, ToolOutput
from satchel.contract.errors import NotApproved, ToolError
from satchel.domain.ids import CallId, FileKey, SessionId, TurnId, UserName
from satchel.domain.responses import ResponseArtifact, ResponseCanvas, ResponseDeferred

MAX_INLINE_BYTES = 64 * 1024
"""Text of up to this goes with a response; more goes by link."""


class CallResult(BaseModel):
    """What Normalize made of the outcome; written once. ``inline`` are the files whose text goes with a response.

    ``duration_ms`` is None where the runner's end was not seen.
    """

    is_error: bool
    error_code: str | None = None
    results: Any = None
    meta_data: dict[str, Any] | None = None
    artifacts: list[ResponseArtifact] = []
    deferred: list[ResponseDeferred] = []
    inline: list[FileKey] = []
    display: Display | None = None
    canvas: ResponseCanvas | None = None
    duration_ms: int | None = None

    @property
    def files(self) -> list[ResponseArtifact | ResponseDeferred]:
        """Return all files of the call, those that wait last."""
        return [*self.artifacts, *self.deferred]


_MODELS_FAULTS = {ErrorCode.E_UNKNOWN_TOOL, ErrorCode.E_FORBIDDEN, ErrorCode.E_INVALID_ARGUMENTS}


class Call(BaseModel):
    """One tool call. ``arguments`` is the model's text; ``injected`` is that with the identity, files by name.

    ``server`` is known once the call was sent there, and ``bytes_in`` how much the files have that it was given.
    """

    call_id: CallId
    turn_id: TurnId
    session_id: SessionId
    user: UserName
    tool: str
    arguments: str
    ref: str
    round: int
    index: int
    injected: dict[str, Any] | None = None
    unresolved: dict[str, list[str]] = {}
    server: str | None = None
    bytes_in: int = 0
    settled: CallResult | None = None

    @property
    def is_mistaken(self) -> bool:
        """Tell whether it was refused for what the model asked: no such tool, none for this person, wrong arguments.

        What was dispatched is no mistake of the model's, whatever its tool says; nor is what the person refused.
        """
        said = self.settled
        if said is None or self.injected is not None or said.error_code not in _MODELS_FAULTS:
            return False
        return (said.meta_data or {}).get("reason") != NotApproved.reason


class StoredFile(BaseModel):
    """A file that a runner put into S3 for a call. ``key`` is checked against the call's prefix by who reads this."""

    object_id: str
    key: str
    name: str
    raw_name: str
    mime: str
    size: int
    index: int
    deferred: bool = False
    declared: bool = True
    inline: bool = False
    artifact: dict[str, Any]


class RunnerReport(BaseModel):
    """What a runner hands over: the tool output without bytes, and where the bytes went.

    ``tools_changed``: the server said so of its list of tools, since the call before.
    It comes from a place that ran foreign code, so whoever reads it believes only what it can check.
    """

    results: Any = None
    meta_data: dict[str, Any] | None = None
    display: Display | None = None
    canvas: Canvas | None = None
    files: list[StoredFile] = []
    problems: list[ArtifactProblem] = []
    is_error: bool = False
    error_code: ErrorCode | None = None
    duration_ms: int | None = 0
    tools_changed: bool = False

    @classmethod
    def of_error(cls, error: ToolError, duration_ms: int | None = 0) -> Self:
        """Make the outcome of a call that ended in one of our errors (spec 3 §12)."""
        output = ToolOutput.from_error(error)
        return cls(
            results=output.results,
            meta_data=output.meta_data,
            is_error=True,
            error_code=error.code,
            duration_ms=duration_ms,
        )


MAX_REASON_CHARS = 1_000


class Decision(BaseModel):
    """What the person said. ``arguments`` replace the model's; identity and files are injected after that."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"approved": True}]})

    approved: bool
    arguments: dict[str, Any] | None = None
    reason: Annotated[str | None, Field(max_length=MAX_REASON_CHARS)] = None


class Approval(BaseModel):
    """A call that waits for its owner. ``task_token`` lets the turn go on: it is never shown."""

    call_id: CallId
    turn_id: TurnId
    task_token: str = Field(repr=False)
    expires_at: datetime
    decision: Decision | None = None
