"""Shape what a runner hands over: nothing in it is larger than a model may see."""

from typing import Any

from satchel.contract import ArtifactProblem, ErrorCode, ToolOutput, view_for_model
from satchel.domain.calls import Outcome, StoredFile


def make_outcome(output: ToolOutput, files: list[StoredFile], problems: list[ArtifactProblem]) -> Outcome:
    """Return the outcome of a call that answered. Long results are cut head and tail, with a note that says so."""
    view = view_for_model(output, files=[])
    meta: dict[str, Any] = dict(view.get("meta_data", {}))
    if "truncated" in view:
        meta["truncated"] = view["truncated"]
    if output.retryable is not None:
        meta.setdefault("retryable", output.retryable)
    return Outcome(
        results=view["results"],
        meta_data=meta or None,
        retryable=output.retryable,
        display=output.display,
        canvas=output.canvas,
        files=files,
        problems=problems,
        is_error=output.is_error,
        error_code=(output.error_code or ErrorCode.E_TOOL_FAILED) if output.is_error else None,
    )
