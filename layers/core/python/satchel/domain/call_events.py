"""Build the events that tell clients about a finished tool call. Events contain references to files, not content."""

from collections.abc import Iterator
from typing import Any

from satchel.domain.calls import Call, CallResult
from satchel.domain.events import NewEvent
from satchel.domain.response_composition import resolve_display
from satchel.domain.responses import ResponseArtifact, ResponseDeferred

_WITHOUT_NONE: dict[str, Any] = {"exclude_none": True}


def call_events(call: Call, result: CallResult) -> Iterator[NewEvent]:
    """Yield the event ``tool_complete``, then events for the call's files, dashboard and notification, if any."""
    payload = {
        "call_id": call.call_id,
        "tool": call.tool,
        "is_error": result.is_error,
        "error_code": result.error_code,
        "suggestion": _suggestion(result),
        "results": result.results,
    }
    yield NewEvent(type="tool_complete", payload=payload, dedupe_key=f"end-{call.call_id}")
    if result.files:
        display = resolve_display([result])
        files = {"files": [_reference(file) for file in result.files], "display": display.model_dump(**_WITHOUT_NONE)}
        yield _update(call, "files_update", files)
    if result.canvas:
        yield _update(call, "canvas", {"canvas": result.canvas.model_dump(exclude={"token"}, **_WITHOUT_NONE)})
    if result.display and result.display.notification:
        yield _update(call, "notification", {"message": result.display.notification})


def _suggestion(result: CallResult) -> str | None:
    """Return the suggestion in a failed call's result, or None if it is not text. Tools may return any JSON value."""
    match result.meta_data:
        case {"details": {"suggestion": str(suggestion)}} if result.is_error:
            return suggestion
    return None


def _update(call: Call, kind: str, fields: dict[str, Any]) -> NewEvent:
    payload = {"update_type": kind, "call_id": call.call_id, **fields}
    return NewEvent(type="intermediate_update", payload=payload, dedupe_key=f"{kind}-{call.call_id}")


def _reference(file: ResponseArtifact | ResponseDeferred) -> dict[str, Any]:
    return file.model_dump(exclude={"content", "metadata", "download_url"}, **_WITHOUT_NONE)
