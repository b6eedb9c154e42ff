"""The records of a tool call: the call itself, the user's approval, the runner's report, and the stored result."""

import hashlib
import json
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    Field,
    ValidationError,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_validator,
)

from satchel.contract import Artifact, ArtifactProblem, Canvas, DeferredArtifact, Display, ToolOutput, scrub_text
from satchel.contract.errors import ErrorCode, InvalidArtifact, NotApproved, ToolCrashed, ToolError, ToolFailed
from satchel.domain.files import FileRecord
from satchel.domain.ids import CallId, FileKey, SessionId, TurnId, UserName
from satchel.domain.inputs import RequestedInput
from satchel.domain.media import MediaRef
from satchel.domain.responses import ResponseArtifact, ResponseCanvas, ResponseDeferred
from satchel.domain.size_limits import MAX_FILES, MAX_NAME_CHARS, strip_and_truncate, truncate
from satchel.domain.tasks import ReportedTask

logger = logging.getLogger(__name__)

MAX_INLINE_BYTES = 64 * 1024
"""A turn's response contains the content of text files up to this size, and only links to larger files."""

MAX_RESULT_BYTES = 300_000
"""Maximum size of a stored result, because a DynamoDB item can have at most 400 KB."""

_MAX_ARTIFACT_TEXT_CHARS = 20_000  # maximum for each text of an artifact; CallResult.bounded limits the whole result
_SHORT_TEXT_CHARS = 100
_SHORT_RESULTS_CHARS = 4_000
_TRUNCATED = {"truncated": "The result was too long to be stored in full."}


class InputVersion(BaseModel):
    """The version of a file that a call's arguments name."""

    file_key: FileKey
    version: int
    name: str
    mime: str
    size: int

    @classmethod
    def of(cls, record: FileRecord) -> Self:
        """Return the version of a file record."""
        return cls.model_validate(record, from_attributes=True)


class CallResult(BaseModel):
    """A tool call's result. ``duration_ms`` is None if unknown.

    ``inline`` are the keys of the files whose text the turn's response includes. ``media`` are the pictures for the
    model.

    ``canvas_token`` is the token that the tool gave to its dashboard. It is not part of ``canvas``, because events and
    other copies of the response must not contain it: only the user's own read of the turn returns it.
    """

    is_error: bool
    error_code: str | None = None
    results: Any = None
    meta_data: dict[str, Any] | None = None
    artifacts: list[ResponseArtifact] = []
    deferred: list[ResponseDeferred] = []
    inline: list[FileKey] = []
    media: Annotated[list[MediaRef], Field(exclude_if=lambda media: not media)] = []
    display: Display | None = None
    canvas: ResponseCanvas | None = None
    canvas_token: str | None = Field(default=None, repr=False)
    duration_ms: int | None = None

    @property
    def files(self) -> list[ResponseArtifact | ResponseDeferred]:
        """Return all files that the call created, deferred files last."""
        return [*self.artifacts, *self.deferred]

    def bounded(self) -> "CallResult":
        """Return the result, cut to ``MAX_RESULT_BYTES``: first shorten file descriptions, then ``results``."""
        for smaller in self._candidates():
            if len(smaller.model_dump_json().encode()) <= MAX_RESULT_BYTES:
                return smaller
        outcome = self.model_dump(include={"is_error", "error_code", "duration_ms"})
        return CallResult(**outcome, meta_data=dict(_TRUNCATED))

    def _candidates(self) -> Iterator["CallResult"]:
        yield self
        artifacts = [file.model_copy(update=_short_texts(file) | {"metadata": None}) for file in self.artifacts]
        deferred = [file.model_copy(update=_short_texts(file) | {"next_actions": []}) for file in self.deferred]
        meta_data = (self.meta_data or {}) | _TRUNCATED
        terse = self.model_copy(update={"artifacts": artifacts, "deferred": deferred, "meta_data": meta_data})
        yield terse
        short_results = truncate(str(self.results), _SHORT_RESULTS_CHARS)
        yield terse.model_copy(update={"results": short_results, "meta_data": dict(_TRUNCATED)})


def _short_texts(file: ResponseArtifact | ResponseDeferred) -> dict[str, Any]:
    return {"description": truncate(file.description or "", _SHORT_TEXT_CHARS) or None}


_MODEL_MISTAKES = {ErrorCode.E_UNKNOWN_TOOL, ErrorCode.E_FORBIDDEN, ErrorCode.E_INVALID_ARGUMENTS}


class Call(BaseModel):
    """One tool call. ``arguments`` is the model's text; ``injected`` are the parsed arguments with the user's name.

    ``server`` and ``bytes_in`` (the total size of the input files) are set when the call is sent to a runner. ``slot``
    is the number under which the call counts as running. ``inputs`` are the files that the arguments name.
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
    inputs: Annotated[list[InputVersion], Field(exclude_if=lambda files: not files)] = []
    slot: int | None = None
    result: CallResult | None = None

    @property
    def digest(self) -> str:
        """Return the digest of the tool and the arguments as proposed. An approval names it (docs/events.md)."""
        proposal = json.dumps([self.call_id, self.tool, self.arguments])
        return hashlib.sha256(proposal.encode()).hexdigest()

    @property
    def is_mistaken(self) -> bool:
        """Return True if the model made a mistake, e.g. named an unknown tool. A denial by the user does not count."""
        result = self.result
        if result is None or self.injected is not None or result.error_code not in _MODEL_MISTAKES:
            return False
        return (result.meta_data or {}).get("reason") != NotApproved.reason


class StoredFile(BaseModel):
    """A runner's report of one file that the runner stored in S3 for a tool call.

    The runner executes third-party code and is untrusted, so ``RecordToolResult`` recomputes ``object_id`` and ``key``
    (the S3 key) and rejects a file with other values. ``artifact`` is a ``DeferredArtifact`` if ``deferred`` is True,
    otherwise an ``Artifact``. The report's JSON omits the content and the path of the file; parsing the report sets
    ``artifact.path`` to ``key``. ``declared`` is False if the tool's output does not name the file. ``inline`` is True
    if the response of the turn includes the file's text.
    """

    object_id: str
    key: str
    index: int
    deferred: bool = False
    declared: bool = True
    inline: bool = False
    artifact: Artifact | DeferredArtifact

    @field_validator("artifact", mode="before")
    @classmethod
    def _parse_artifact(cls, reported: Any, info: ValidationInfo) -> Any:  # noqa: ANN401  (JSON, or an instance)
        if not isinstance(reported, dict):
            return reported
        fields = strip_and_truncate(reported, _MAX_ARTIFACT_TEXT_CHARS) | {"path": info.data.get("key")}
        if isinstance(name := reported.get("name"), str):
            fields["name"] = truncate(scrub_text(name), MAX_NAME_CHARS)
        model = DeferredArtifact if info.data.get("deferred") else Artifact
        return model.model_validate(fields)

    @field_serializer("artifact")
    def _dump_artifact(self, artifact: Artifact | DeferredArtifact) -> dict[str, Any]:
        return artifact.model_dump(mode="json", exclude={"b64", "path", "content", "uri"}, exclude_none=True)


class RunnerReport(BaseModel):
    """A runner's report of a tool call: the output without file content, and the stored files (at most ``MAX_FILES``).

    ``asks`` are questions to the user: the call has no result yet, and continues with the answers. ``task`` is the task
    of the server that works on the call, which has no result yet, either. ``tools_changed`` is True if the server
    announced a change of its tools since the previous call. ``asks_while_running`` says whether the tool needs the
    older MCP handshake to ask the user, if the call has shown this. The runner executes third-party code, so callers
    must check all values. Parsing turns a file with an invalid artifact into a problem.
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
    asks_while_running: bool | None = None
    asks: RequestedInput | None = None
    task: ReportedTask | None = None

    @property
    def stores_more(self) -> bool:
        """Return True if recording the result also stores files or a dashboard."""
        return bool(self.files or self.canvas)

    @model_validator(mode="before")
    @classmethod
    def _report_invalid_artifacts(cls, data: Any) -> Any:  # noqa: ANN401  (JSON, or keyword arguments)
        """Move files with an invalid artifact to ``problems``, because they must not invalidate the whole report."""
        if not isinstance(data, dict) or not isinstance(data.get("files"), list):
            return data
        parsed = [_parse_file(file) for file in data["files"][:MAX_FILES]]
        fields = data | {"files": [file for file in parsed if not isinstance(file, ArtifactProblem)]}
        if isinstance(problems := data.get("problems", []), list):
            fields["problems"] = [*problems, *(file for file in parsed if isinstance(file, ArtifactProblem))]
        return fields

    @classmethod
    def from_error(cls, error: ToolError, duration_ms: int | None = 0) -> Self:
        """Return the report of a tool call that failed with this error."""
        output = ToolOutput.from_error(error)
        return cls(
            results=output.results,
            meta_data=output.meta_data,
            is_error=True,
            error_code=error.code,
            duration_ms=duration_ms,
        )

    @classmethod
    def parse(cls, text: str | bytes, call_id: CallId) -> Self:
        """Return a runner's report, or if it is malformed, the report of a call that failed for this reason."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            return cls.invalid(call_id, f"the report is malformed ({error.error_count()} errors)")

    @classmethod
    def invalid(cls, call_id: CallId, reason: str) -> Self:
        """Return the report of a call whose runner reported something invalid."""
        logger.warning("invalid runner report", extra={"call_id": call_id, "reason": reason})
        return cls.from_error(ToolFailed(f"The runner's report is invalid: {reason}"))


def _parse_file(reported: Any) -> StoredFile | ArtifactProblem:  # noqa: ANN401  (JSON, or an instance)
    """Parse a reported file. If only its artifact is invalid, return a problem. Raise ValidationError otherwise."""
    try:
        return StoredFile.model_validate(reported)
    except ValidationError as error:
        artifact = reported.get("artifact") if isinstance(reported, dict) else None
        faults = error.errors(include_url=False, include_input=False)
        if not isinstance(artifact, dict) or any(fault["loc"][:1] != ("artifact",) for fault in faults):
            raise
        name = truncate(artifact["name"], MAX_NAME_CHARS) if isinstance(artifact.get("name"), str) else ""
        invalid = InvalidArtifact(name, "its description is invalid")
        return ArtifactProblem(name=name, code=invalid.code, reason=invalid.message)


MAX_REASON_CHARS = 1_000


class Decision(BaseModel):
    """The user's decision about a tool call. ``arguments``, if set, replace the arguments that the model wrote.

    ``digest`` is the digest of the approval request that the user saw. An approval without it is rejected.
    """

    approved: bool
    digest: Annotated[str | None, Field(max_length=64)] = None
    arguments: dict[str, Any] | None = None
    reason: Annotated[str | None, Field(max_length=MAX_REASON_CHARS)] = None


def runner_crash(reason: str) -> ToolCrashed:
    """Return the error of a call whose runner ended before the call."""
    return ToolCrashed(f"The runner of the tool ended before the tool returned a result: {truncate(reason, 500)}")


NOT_APPROVED_IN_TIME = "The call was not approved in time"
"""The error of a call for which the user made no decision."""


class Approval(BaseModel):
    """A request for the user's approval of a tool call. Never return or log ``task_token``, which resumes the turn."""

    call_id: CallId
    turn_id: TurnId
    task_token: str = Field(repr=False)
    expires_at: datetime
    decision: Decision | None = None
