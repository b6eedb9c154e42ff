"""Check the events that a runner reports about its call. A runner executes third-party code, so it is not trusted."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId
from satchel.domain.inputs import MAX_REPORTED_BYTES, Question
from satchel.domain.size_limits import strip_and_truncate, truncate
from satchel.domain.steps import MAX_INPUT_ROUNDS_IN_CALL

_MAX_DOCUMENT_CHARS = 20_000  # a document of a runner has at most 2,000 characters of text
_MAX_LEVEL_CHARS = 20


class _ReportedProgress(BaseModel):
    type: Literal["tool_progress"]
    progress: float | None
    total: float | None
    percentage: float | None
    message: str


class _ReportedNotice(BaseModel):
    type: Literal["tool_notice"]
    seconds: int
    left_seconds: int
    message: str


class _ReportedLog(BaseModel):
    type: Literal["tool_log"]
    level: str
    message: str


InputId = Annotated[str, Field(pattern=r"^[1-9][0-9]?-0$")]


class ReportedQuestion(BaseModel):
    """A question that a running tool asks the user, and the end of its wait. ``input_id`` numbers the questions."""

    type: Literal["input_requested"]
    input_id: InputId
    question: Question
    expires_at: AwareDatetime

    @model_validator(mode="before")
    @classmethod
    def _parse_question(cls, reported: dict[str, Any]) -> dict[str, Any]:
        question = {"key": "", "form": reported.get("schema")}
        question |= {name: reported.get(name) for name in ("mode", "message", "url")}
        return {name: reported.get(name) for name in ("type", "input_id", "expires_at")} | {"question": question}

    @property
    def round(self) -> int:
        """Return the number of the question among those of the call, from 1."""
        return int(self.input_id.partition("-")[0])


class WithdrawnQuestion(BaseModel):
    """A running tool no longer waits for the answer to its question."""

    type: Literal["input_answered"]
    input_id: InputId
    action: Literal["cancel"]


_Message = _ReportedProgress | _ReportedNotice | _ReportedLog
_REPORTED: TypeAdapter[_Message | ReportedQuestion | WithdrawnQuestion] = TypeAdapter(
    Annotated[_Message | ReportedQuestion | WithdrawnQuestion, Field(discriminator="type")],
    config=ConfigDict(defer_build=True),
)


def parse_reported_event(call_id: CallId, document: str | None) -> NewEvent | ReportedQuestion | WithdrawnQuestion:
    """Return the event in a runner's document. Raise ValueError if it is not an event that a runner may report.

    A runner reports progress, notices of silence, log messages and questions of its own call, and nothing else: no
    approval, no result, no answer. Texts are cut, and links to files are removed, as in the events of trusted
    functions.
    """
    if document is None or len(document.encode()) > MAX_REPORTED_BYTES:
        raise ValueError("the document is missing or too long")
    reported = _REPORTED.validate_json(document)
    if isinstance(reported, ReportedQuestion):
        if reported.round > MAX_INPUT_ROUNDS_IN_CALL:
            raise ValueError("the call has asked too often")
        return reported
    if len(document) > _MAX_DOCUMENT_CHARS:
        raise ValueError("the document is too long")
    if isinstance(reported, WithdrawnQuestion):
        return reported
    fields = reported.model_dump(exclude={"type"}) | {"message": strip_and_truncate(reported.message)}
    if "level" in fields:
        fields["level"] = truncate(fields["level"], _MAX_LEVEL_CHARS)
    return NewEvent(type=reported.type, payload={"call_id": call_id, **fields})
