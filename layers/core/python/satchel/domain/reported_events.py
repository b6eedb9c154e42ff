"""Check the events that a runner reports about its call. A runner executes third-party code, so it is not trusted."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter

from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId
from satchel.domain.size_limits import strip_and_truncate, truncate

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


_REPORTED: TypeAdapter[_ReportedProgress | _ReportedNotice | _ReportedLog] = TypeAdapter(
    Annotated[_ReportedProgress | _ReportedNotice | _ReportedLog, Field(discriminator="type")]
)


def parse_reported_event(call_id: CallId, document: str | None) -> NewEvent:
    """Return the event in a runner's document. Raise ValueError if it is not an event that a runner may report.

    A runner reports progress, notices of silence and log messages of its own call, and nothing else: no approval, no
    result, no answer. Texts are cut, and links to files are removed, as in the events of trusted functions.
    """
    if document is None or len(document) > _MAX_DOCUMENT_CHARS:
        raise ValueError("the document is missing or too long")
    reported = _REPORTED.validate_json(document)
    fields = reported.model_dump(exclude={"type"}) | {"message": strip_and_truncate(reported.message)}
    if "level" in fields:
        fields["level"] = truncate(fields["level"], _MAX_LEVEL_CHARS)
    return NewEvent(type=reported.type, payload={"call_id": call_id, **fields})
