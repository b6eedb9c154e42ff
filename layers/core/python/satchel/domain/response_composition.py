"""Compose the response of a turn from the stored turn and its tool calls."""

from collections.abc import Sequence

from satchel.contract import Display
from satchel.domain.calls import Call, CallResult
from satchel.domain.responses import FinalResponse, ResponseArtifact, ResponseCanvas, ResponseDisplay, ToolCallSummary
from satchel.domain.sessions import ImportedParts, Turn


def compose_response(turn: Turn, calls: Sequence[Call]) -> FinalResponse:
    """Return the response of a turn. While the turn is running, the response contains the results so far."""
    if turn.imported is not None:
        return _compose_imported(turn, turn.imported)
    results = [call.result for call in calls if call.result]
    display = resolve_display(results)
    artifacts = [artifact for result in results for artifact in result.artifacts]
    canvases = _last_of_each_id([result.canvas for result in results if result.canvas])
    return FinalResponse(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        status=turn.status,
        message=turn.answer,
        model=turn.model,
        usage=turn.usage,
        artifacts=_primary_first(artifacts, display.primary_file),
        deferred_artifacts=[file for result in results for file in result.deferred],
        display=display,
        canvas=canvases[-1] if canvases else None,
        canvases=canvases,
        tool_calls=[_summary(call) for call in calls],
        error=turn.error,
    )


def _compose_imported(turn: Turn, parts: ImportedParts) -> FinalResponse:
    return FinalResponse(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        status=turn.status,
        message=turn.answer,
        model=turn.model,
        artifacts=parts.artifacts,
        tool_calls=parts.tool_calls,
        error=turn.error,
        imported=True,
    )


def _last_of_each_id(canvases: list[ResponseCanvas]) -> list[ResponseCanvas]:
    """Return the dashboards in the order in which tools opened them. If an id repeats, keep only the last one."""
    by_id: dict[str, ResponseCanvas] = {}
    for canvas in canvases:
        by_id.pop(canvas.id, None)
        by_id[canvas.id] = canvas
    return list(by_id.values())


def _primary_first(artifacts: list[ResponseArtifact], primary: str | None) -> list[ResponseArtifact]:
    """Move the primary file to the front (clause v2:display:primary-file). The other files keep their order."""
    ordered = sorted(artifacts, key=lambda artifact: artifact.name != primary)
    return [artifact.model_copy(update={"position": index}) for index, artifact in enumerate(ordered)]


def resolve_display(results: Sequence[CallResult]) -> ResponseDisplay:
    """Return display settings for the files of these tool calls. The last display hint replaces all earlier hints.

    The canvas (the panel for files) opens if the last hint requests it, or if a later call created a file that can be
    shown (clause v2:canvas:auto-open). It stays closed if no successful call created a file or opened a dashboard.
    """
    results = [result for result in results if not result.is_error]
    last_hint = max((index for index, result in enumerate(results) if result.display), default=-1)
    hint = (results[last_hint].display if last_hint >= 0 else None) or Display()
    artifacts = [artifact for result in results for artifact in result.artifacts]
    primary = hint.primary_file if hint.primary_file in {a.name for a in artifacts} else _first_showable(artifacts)
    later = [artifact for result in results[last_hint + 1 :] for artifact in result.artifacts]
    opens = hint.open_canvas or hint.storage_action == "store_and_open" or _first_showable(later) is not None
    opens = opens and any(result.files or result.canvas for result in results)
    resolved = ResponseDisplay.model_validate(hint.model_dump(exclude_none=True))
    return resolved.model_copy(update={"open_canvas": opens, "primary_file": primary})


def _first_showable(artifacts: Sequence[ResponseArtifact]) -> str | None:
    return next((artifact.name for artifact in artifacts if artifact.showable), None)


def _summary(call: Call) -> ToolCallSummary:
    server, _, _ = call.tool.rpartition(".")
    result = call.result
    summary = ToolCallSummary(call_id=call.call_id, tool=call.tool, server=server, arguments=call.injected)
    if result is None:
        return summary
    return summary.model_copy(update=result.model_dump(include=set(ToolCallSummary.model_fields)))
