"""Shape what a runner hands over: nothing in it is larger than a model may see, and nothing is lost by that."""

import json
from collections.abc import Mapping
from typing import Any

from satchel.contract import Artifact, ArtifactProblem, Canvas, ErrorCode, ToolOutput
from satchel.domain.calls import Outcome, StoredFile


def whole_results(tool: str, output: ToolOutput, view: Mapping[str, Any]) -> list[Artifact]:
    """Return the results as a file where the model's view of them is not the whole, else nothing."""
    if view["results"] == output.results:
        return []
    if isinstance(output.results, str):
        return [Artifact(name=f"{tool}_results.txt", mime="text/plain", content=output.results)]
    text = json.dumps(output.results, ensure_ascii=False)
    return [Artifact(name=f"{tool}_results.json", mime="application/json", content=text)]


def make_outcome(
    output: ToolOutput,
    view: Mapping[str, Any],
    files: list[StoredFile],
    problems: list[ArtifactProblem],
    noted: Mapping[str, Any] | None = None,
) -> Outcome:
    """Return the outcome of a call that answered; ``view`` is what a model may see of it, ``noted`` is our own word."""
    meta: dict[str, Any] = {**view.get("meta_data", {}), **(noted or {})}
    if "truncated" in view:
        meta["truncated"] = view["truncated"]
    if output.retryable is not None:
        meta.setdefault("retryable", output.retryable)
    return Outcome(
        results=view["results"],
        meta_data=meta or None,
        display=output.display,
        canvas=_without_token(output.canvas),
        files=files,
        problems=problems,
        is_error=output.is_error,
        error_code=(output.error_code or ErrorCode.E_TOOL_FAILED) if output.is_error else None,
    )


def _without_token(canvas: Canvas | None) -> Canvas | None:
    """A tool's own token is written down nowhere; that there was one asks for one of ours."""
    asks = canvas is not None and "token" in canvas.model_fields_set
    return canvas.model_copy(update={"token": ""}) if canvas and asks else canvas
