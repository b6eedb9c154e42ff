"""The audit trail: one entry for each finished tool call and each download."""

import hashlib
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from satchel.domain import arguments as args
from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import CallId, FileKey, SessionId, TurnId, UserName, new_id, time_of
from satchel.domain.links import Audience
from satchel.domain.redaction import redact, redact_text
from satchel.domain.resources import OfferMethod, OfferRequest

ENTRY_ID_KIND = "e"

Result = Literal["ok", "error"]


class _Entry(BaseModel):
    """The fields of all audit entries. ``audit_id`` begins with the time of the download or of the turn's start."""

    audit_id: str
    at: datetime
    user: UserName
    session_id: SessionId | None
    result: Result
    error_code: str | None = None
    duration_seconds: float | None = None


class ToolCallEntry(_Entry):
    """The audit entry of a tool call that finished or was rejected. ``arguments`` are redacted.

    ``reason`` distinguishes errors with the same code: ``E_FORBIDDEN`` can mean ``Forbidden`` or ``NotApproved``.
    """

    kind: Literal["tool_call"] = "tool_call"
    turn_id: TurnId
    call_id: CallId
    tool: str
    arguments: Any
    reason: str | None = None


class DownloadEntry(_Entry):
    """The audit entry of a download through a link. ``user`` is the file's owner, not necessarily the downloader.

    ``audience`` says for whom the link was created: the web client (``ui``) or a ``tool``. ``size`` is in bytes.
    """

    kind: Literal["download"] = "download"
    file_key: FileKey
    version: int
    audience: Audience
    file_name: str
    size: int


class OfferEntry(_Entry):
    """The audit entry of a user's request for a prompt or a resource. It belongs to no session, so only the log has it.

    ``offer`` is the prompt's name or the resource's address. ``arguments`` are the names of the arguments: their values
    are the user's text.
    """

    kind: Literal["offer"] = "offer"
    server: str
    method: OfferMethod
    offer: str
    arguments: list[str]


AuditEntry = Annotated[ToolCallEntry | DownloadEntry, Field(discriminator="kind")]


def ended_call_entry(call: Call, result: CallResult, at: datetime) -> ToolCallEntry:
    """Return the audit entry of a tool call that has a result."""
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
    """Return the audit entry of a tool call that had no result when its turn ended with ``error_code``."""
    return _call_entry(call, at=at, result="error", error_code=error_code)


def offer_entry(user: UserName, server: str, request: OfferRequest, **fields: Any) -> OfferEntry:  # noqa: ANN401  (fields of the entry)
    """Return the audit entry of a request for a prompt or a resource."""
    return OfferEntry(
        user=user,
        session_id=None,
        server=server,
        method=request.method,
        offer=redact_text(request.name),
        arguments=[redact_text(name) for name in request.arguments],
        **fields,
    )


def _call_entry(call: Call, **fields: Any) -> ToolCallEntry:  # noqa: ANN401  (fields of the entry)
    return ToolCallEntry(
        audit_id=_entry_id(call),
        **call.model_dump(include={"user", "session_id", "turn_id", "call_id"}),
        tool=redact_text(call.tool),
        arguments=redact(call.injected if call.injected is not None else args.parse_or_text(call.arguments)),
        **fields,
    )


def _entry_id(call: Call) -> str:
    """Derive the entry's id from the turn's start and the call, so that a repeated write creates no second entry."""
    position = call.round.to_bytes(2, "big") + call.index.to_bytes(2, "big")
    digest = hashlib.sha256(call.call_id.encode()).digest()
    return new_id(ENTRY_ID_KIND, time_of(call.turn_id), position + digest[:6])
