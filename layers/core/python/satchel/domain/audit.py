"""What is written down for those who want to know later: who called which tool, who was given which file."""

import hashlib
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from satchel.domain import arguments as args
from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import CallId, FileKey, SessionId, TurnId, UserName, new_id, time_of
from satchel.domain.links import Audience
from satchel.domain.redaction import redact, redact_text

ENTRY_ID_KIND = "e"

Result = Literal["ok", "error"]


class _Entry(BaseModel):
    """``audit_id`` is in the order of time, where a call has the time at which its turn began.

    ``duration_seconds`` is None where nobody measured it.
    """

    audit_id: str
    at: datetime
    user: UserName
    session_id: SessionId | None
    result: Result
    error_code: str | None = None
    duration_seconds: float | None = None


class ToolCallEntry(_Entry):
    """A tool call that has ended, or was refused: ``arguments`` as the tool got them, without secrets.

    ``reason`` tells apart what one code stands for: ``E_FORBIDDEN`` is ``Forbidden`` or ``NotApproved``.
    """

    kind: Literal["tool_call"] = "tool_call"
    turn_id: TurnId
    call_id: CallId
    tool: str
    arguments: Any
    reason: str | None = None


class DownloadEntry(_Entry):
    """A file that was fetched by its link. ``user`` is whose it is; who holds a link is not known.

    ``audience``: the link was made for a page (``ui``) or for a tool. ``size`` in bytes.
    """

    kind: Literal["download"] = "download"
    file_key: FileKey
    version: int
    audience: Audience
    file_name: str
    size: int


AuditEntry = Annotated[ToolCallEntry | DownloadEntry, Field(discriminator="kind")]


def ended_call_entry(call: Call, result: CallResult, at: datetime) -> ToolCallEntry:
    """Return what is written of a call that has come to something."""
    reason = (result.meta_data or {}).get("reason") if result.is_error else None
    return _call_entry(
        call,
        at=at,
        result="error" if result.is_error else "ok",
        error_code=result.error_code,
        reason=redact_text(reason) if isinstance(reason, str) else None,
        duration_seconds=None if result.duration_ms is None else result.duration_ms / 1000,
    )


def unfinished_call_entry(call: Call, error_code: str, at: datetime) -> ToolCallEntry:
    """Return what is written of a call whose turn ended, of this error, before the call did."""
    return _call_entry(call, at=at, result="error", error_code=error_code)


def _call_entry(call: Call, **came_to: Any) -> ToolCallEntry:  # noqa: ANN401  (fields of the entry)
    return ToolCallEntry(
        audit_id=_entry_id(call),
        **call.model_dump(include={"user", "session_id", "turn_id", "call_id"}),
        tool=redact_text(call.tool),
        arguments=redact(call.injected if call.injected is not None else args.parse_or_text(call.arguments)),
        **came_to,
    )


def _entry_id(call: Call) -> str:
    """Derive the id, so that a call has one entry whoever writes it: by its turn's beginning and its place there."""
    place = call.round.to_bytes(2, "big") + call.index.to_bytes(2, "big")
    digest = hashlib.sha256(call.call_id.encode()).digest()
    return new_id(ENTRY_ID_KIND, time_of(call.turn_id), place + digest[:6])
