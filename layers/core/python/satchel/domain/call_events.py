"""Build the events about the start and the end of a tool call. They contain references to files, not content."""

from collections.abc import Iterator
from typing import Any

from satchel.contract import limit_meta_data
from satchel.domain.arguments import parse_or_text
from satchel.domain.calls import Call, CallResult
from satchel.domain.events import NewEvent
from satchel.domain.redaction import redact_value
from satchel.domain.response_composition import resolve_display
from satchel.domain.responses import ResponseArtifact, ResponseDeferred
from satchel.domain.size_limits import strip_and_truncate

REFUSAL_KEYS = ("artifact_problems", "canvas_refused", "unresolved_files", "security_violations")
"""The entries of a call's meta data that say what Satchel refused or could not do. The other entries are the tool's."""

_MAX_META_DATA_BYTES = 64_000  # an event with meta data and results must fit into a WebSocket message (128 KB)
_NOT_IN_EVENTS = ("content", "metadata", "download_url")
"""Fields of files that are null in events: file content may be large, and links are secret."""


def start_event(
    call: Call,
    arguments: Any,  # noqa: ANN401  (a JSON object, or the model's text if it is not JSON)
    app_uri: str | None = None,
) -> NewEvent:
    """Return the event ``tool_start`` with the arguments that are sent to the tool."""
    payload = {
        "call_id": call.call_id,
        "tool": call.tool,
        "server": call.tool.rpartition(".")[0],
        "arguments": strip_and_truncate(arguments),
        "app_uri": app_uri,
    }
    return NewEvent(type="tool_start", payload=payload)


def refused_start_event(call: Call) -> NewEvent:
    """Return the event ``tool_start`` of a call that is refused: with the model's arguments, and published once."""
    event = start_event(call, parse_or_text(call.arguments))
    return event.model_copy(update={"dedupe_key": f"start-{call.call_id}"})


def call_events(call: Call, result: CallResult) -> Iterator[NewEvent]:
    """Yield the event ``tool_complete``, then events for the call's files, dashboard and notification, if any."""
    payload = {
        "call_id": call.call_id,
        "tool": call.tool,
        "is_error": result.is_error,
        "error_code": result.error_code,
        "suggestion": _suggestion(result),
        "results": result.results,
        "meta_data": _meta_data(result),
    }
    yield NewEvent(type="tool_complete", payload=payload)
    if result.files:
        display = resolve_display([result])
        files = {"files": [_reference(file) for file in result.files], "display": display.model_dump()}
        yield _update(call, "files_update", files)
    if result.canvas:
        yield _update(call, "canvas", {"canvas": result.canvas.model_dump() | {"token": None}})
    if result.display and result.display.notification:
        yield _update(call, "notification", {"message": result.display.notification})


def _meta_data(result: CallResult) -> dict[str, Any] | None:
    """Return the ``meta_data`` of a result for its event, without secrets, tokens and links. Return None if empty.

    If the JSON is too long for an event, omit the largest values and add their names as ``left_out``.
    """
    meta = result.meta_data or {}
    refusals_first = {key: meta[key] for key in REFUSAL_KEYS if key in meta} | meta
    included, note = limit_meta_data(redact_value(refusals_first), _MAX_META_DATA_BYTES)
    return included | note.get("meta_data", {}) or None


def _suggestion(result: CallResult) -> str | None:
    """Return the suggestion in a failed call's result, or None if it is not text. Tools may return any JSON value."""
    match result.meta_data:
        case {"details": {"suggestion": str(suggestion)}} if result.is_error:
            return suggestion
    return None


def _update(call: Call, kind: str, fields: dict[str, Any]) -> NewEvent:
    payload = {"update_type": kind, "call_id": call.call_id, **fields}
    return NewEvent(type="intermediate_update", payload=payload)


def _reference(file: ResponseArtifact | ResponseDeferred) -> dict[str, Any]:
    fields = file.model_dump(mode="json")
    return fields | {name: None for name in _NOT_IN_EVENTS if name in fields}
