"""Start a session with the turns of a conversation from elsewhere, for example one that was read whole before.

The turns are marked as imported. Nothing in them is a fact of this server: there are no calls, approvals or audit
entries, and the model gets the messages and answers only.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from satchel.contract.jsonable import to_plain_json
from satchel.domain.branches import START
from satchel.domain.errors import TooLarge
from satchel.domain.ids import FileKey, IdBody, TurnId, call_id, new_id
from satchel.domain.llm import ModelCatalog
from satchel.domain.prompt import MAX_INSTRUCTIONS_CHARS
from satchel.domain.responses import ResponseArtifact, ToolCallSummary, TurnError
from satchel.domain.sessions import ImportedParts, Session, SessionChanges, Turn, TurnStatus
from satchel.domain.size_limits import truncate
from satchel.domain.users import Identity
from satchel.ports.system import Clock
from satchel.ports.turns import Turns
from satchel.services.sessions.sessions import StartSession

MAX_TURNS = 500
MAX_PARTS_BYTES = 100_000
"""Maximum size of the calls and files of an imported turn. Larger results are shortened."""

_MAX_CALLS = 180
_MAX_FILES = 100
_SHORT_RESULTS_CHARS = 200
_Text = Annotated[str, Field(max_length=400)]
_Json = Annotated[Any, BeforeValidator(to_plain_json)]
_ERRORS = {
    TurnStatus.FAILED: TurnError(error_code="E_TURN_FAILED", message="The imported turn failed."),
    TurnStatus.CANCELLED: TurnError(error_code="E_CANCELLED", message="The imported turn was cancelled."),
}


class _Imported(BaseModel):
    """A part of an imported conversation, which may have more fields than an import reads."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": True})


class ImportedError(_Imported):
    """The reason why an imported turn failed. Other fields are ignored."""

    error_code: _Text
    message: Annotated[str, Field(max_length=2000)]


class ImportedCall(_Imported):
    """A tool call of an imported turn, as its user describes it. Other fields are ignored."""

    tool: _Text
    arguments: _Json = None
    results: _Json = None
    is_error: bool = False
    error_code: _Text | None = None
    duration_ms: Annotated[int | None, Field(ge=0, lt=1 << 53)] = None


class ImportedFile(_Imported):
    """A file of an imported turn. It has a link if the user has a file with this key. Other fields are ignored."""

    file_key: FileKey
    version: Annotated[int, Field(ge=1, le=999_999)] = 1
    name: _Text
    mime: _Text = "application/octet-stream"
    size: Annotated[int, Field(ge=0, lt=1 << 53)] = 0
    viewer: _Text = "none"
    category: _Text | None = None
    description: Annotated[str | None, Field(max_length=2000)] = None


class ImportedTurn(_Imported):
    """A turn of an imported conversation: a message and its answer. Other fields are ignored.

    ``turn_id`` and ``after`` say which turn follows which, as in a conversation that was read.

    ``created_at`` and ``ended_at`` are at most the time of the import. A turn with the status ``running`` is imported
    as cancelled.
    """

    turn_id: _Text | None = None
    after: _Text | None = None
    message: Annotated[str, Field(min_length=1)]
    answer: str = ""
    status: Literal["complete", "failed", "cancelled", "running"] = "complete"
    error: ImportedError | None = None
    model: Annotated[str, Field(max_length=200)] = ""
    tool_calls: Annotated[list[ImportedCall], Field(max_length=_MAX_CALLS)] = []
    artifacts: Annotated[list[ImportedFile], Field(max_length=_MAX_FILES)] = []
    created_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None


class ImportRequest(_Imported):
    """A conversation to import, for example as `GET /api/conversations/{session_id}` returns it.

    Other fields are ignored. ``model`` is ignored if the user has no such model.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "additionalProperties": True,
            "examples": [{"title": "August sales", "turns": [{"message": "How many rows?", "answer": "100000."}]}],
        }
    )

    title: Annotated[str | None, Field(max_length=200)] = None
    model: Annotated[str | None, Field(max_length=200)] = None
    instructions: Annotated[str | None, Field(max_length=MAX_INSTRUCTIONS_CHARS)] = None
    turns: Annotated[list[ImportedTurn], Field(min_length=1, max_length=MAX_TURNS)]


@dataclass(frozen=True)
class ImportConversation:
    """Start a session and store imported turns in it. The session counts like any other for the user's quota."""

    start: StartSession
    turns: Turns
    models: ModelCatalog
    clock: Clock
    max_message_bytes: int

    def __call__(self, who: Identity, request: ImportRequest, id_body: IdBody | None = None) -> Session:
        """Import the conversation and return its session. Complete the import if its session (``id_body``) exists.

        Raise TooLarge, TooManySessions or ErasureRunning.
        """
        for index, turn in enumerate(request.turns):
            self._check_size(index, turn)
        known = {entry.name for entry in self.models.visible_to(who.groups)}
        model = request.model if request.model in known else None
        settings = SessionChanges(title=request.title, model=model, instructions=request.instructions)
        session = self.start(who, settings, id_body)
        turns = [_turn(who, session, *each) for each in enumerate(request.turns)]
        new_ids = {given.turn_id: turn.turn_id for given, turn in zip(request.turns, turns, strict=True)}
        branched = [
            turn.model_copy(update={"after": START if given.after == START else new_ids.get(given.after)})
            if given.after
            else turn
            for given, turn in zip(request.turns, turns, strict=True)
        ]
        self.turns.add_imported(session, branched)
        return session

    def _check_size(self, index: int, turn: ImportedTurn) -> None:
        for name, text in (("message", turn.message), ("answer", turn.answer)):
            if len(json.dumps(text, ensure_ascii=False).encode()) > self.max_message_bytes:
                raise TooLarge(
                    f"turns.{index}.{name} has more than {self.max_message_bytes} bytes.",
                    limit_bytes=self.max_message_bytes,
                )


def _turn(who: Identity, session: Session, index: int, given: ImportedTurn) -> Turn:
    """Return the stored turn. Its id has the time of the session and the position, so a repetition makes the same."""
    now = session.created_at
    turn_id = TurnId(new_id("t", now, _entropy(session, index)))
    status = TurnStatus.CANCELLED if given.status == "running" else TurnStatus(given.status)
    created_at = _in_past(given.created_at, now)
    return Turn(
        turn_id=turn_id,
        session_id=session.session_id,
        user=who.name,
        groups=sorted(who.groups),
        model=given.model,
        message=given.message,
        answer=given.answer,
        status=status,
        error=_error(status, given.error),
        created_at=created_at,
        ended_at=max(created_at, _in_past(given.ended_at, now)),
        imported=_parts(turn_id, given),
    )


def _error(status: TurnStatus, given: ImportedError | None) -> TurnError | None:
    if status is TurnStatus.COMPLETE:
        return None
    return TurnError(**given.model_dump()) if given else _ERRORS[status]


def _entropy(session: Session, index: int) -> bytes:
    """Return bytes that sort the turns of a session by position. They are unique, as the id of the session is."""
    return index.to_bytes(2) + session.session_id[-8:].encode()


def _in_past(given: datetime | None, now: datetime) -> datetime:
    return now if given is None else min(given.astimezone(UTC), now)


def _parts(turn_id: TurnId, given: ImportedTurn) -> ImportedParts:
    calls = [_call(turn_id, index, call) for index, call in enumerate(given.tool_calls)]
    artifacts = [_artifact(index, file) for index, file in enumerate(given.artifacts)]
    for parts in _candidates(calls, artifacts):
        if len(parts.model_dump_json().encode()) <= MAX_PARTS_BYTES:
            return parts
    return ImportedParts()


def _candidates(calls: Sequence[ToolCallSummary], artifacts: Sequence[ResponseArtifact]) -> Sequence[ImportedParts]:
    """Return the parts, and smaller ones in case that they are too large."""
    shortened = [
        call.model_copy(update={"arguments": _shortened(call.arguments), "results": _shortened(call.results)})
        for call in calls
    ]
    return [
        ImportedParts(tool_calls=list(calls), artifacts=list(artifacts)),
        ImportedParts(tool_calls=shortened, artifacts=list(artifacts)),
        ImportedParts(tool_calls=shortened),
    ]


def _shortened(value: object) -> str | None:
    return None if value is None else truncate(str(value), _SHORT_RESULTS_CHARS)


def _call(turn_id: TurnId, index: int, call: ImportedCall) -> ToolCallSummary:
    server, _, _ = call.tool.rpartition(".")
    return ToolCallSummary(call_id=call_id(turn_id, 0, index), server=server, **call.model_dump())


def _artifact(index: int, file: ImportedFile) -> ResponseArtifact:
    return ResponseArtifact(id=file.file_key, type=file.mime, title=file.name, position=index, **file.model_dump())
