"""The events by which a call that has ended is made known (DESIGN: events). References only; each comes once."""

from collections.abc import Iterator
from typing import Any

from satchel.domain.calls import Call, CallResult
from satchel.domain.events import NewEvent
from satchel.domain.response_composition import resolve_display
from satchel.domain.responses import ResponseArtifact, ResponseDeferred


def call_events(call: Call, result: CallResult) -> Iterator[NewEvent]:
    """Give the call's end, then what it brought: files, a dashboard, a word to the person (spec 2 §3, spec 3 §8)."""
    said = {
        "call_id": call.call_id,
        "tool": call.tool,
        "is_error": result.is_error,
        "error_code": result.error_code,
        "suggestion": _suggestion(result),
        "results": result.results,
    }
    yield NewEvent(type="tool_complete", payload=said, dedupe_key=f"end-{call.call_id}")
    if result.files:
        display = resolve_display([result])
        files = {"files": [_reference(file) for file in result.files], "display": display.model_dump(**_WITHOUT_NONE)}
        yield _update(call, "files_update", files)
    if result.canvas:
        yield _update(call, "canvas", {"canvas": result.canvas.model_dump(exclude={"token"}, **_WITHOUT_NONE)})
    if result.display and result.display.notification:
        yield _update(call, "notification", {"message": result.display.notification})


def _suggestion(result: CallResult) -> str | None:
    """Return what may help after an error; what a tool put there may be anything."""
    match result.meta_data:
        case {"details": {"suggestion": str(advice)}} if result.is_error:
            return advice
    return None


_WITHOUT_NONE: dict[str, Any] = {"exclude_none": True}


def _update(call: Call, kind: str, said: dict[str, Any]) -> NewEvent:
    payload = {"update_type": kind, "call_id": call.call_id, **said}
    return NewEvent(type="intermediate_update", payload=payload, dedupe_key=f"{kind}-{call.call_id}")


def _reference(file: ResponseArtifact | ResponseDeferred) -> dict[str, Any]:
    return file.model_dump(exclude={"content", "metadata", "download_url"}, **_WITHOUT_NONE)
