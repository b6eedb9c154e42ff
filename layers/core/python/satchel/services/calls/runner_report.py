"""Shape what a runner hands over: nothing in it is larger than a model may see, and nothing is lost by that.

Hand over and read the outcome of a call: a JSON document under the person's prefix, which goes when it was read.
"""

import io
import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from satchel.contract import Artifact, ArtifactProblem, Canvas, ErrorCode, ToolOutput
from satchel.domain.calls import RunnerReport, StoredFile
from satchel.domain.object_keys import UNKEPT
from satchel.ports.storage import FileStore


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
) -> RunnerReport:
    """Return the outcome of a call that answered; ``view`` is what a model may see of it, ``noted`` is our own word."""
    meta: dict[str, Any] = {**view.get("meta_data", {}), **(noted or {})}
    if "truncated" in view:
        meta["truncated"] = view["truncated"]
    if output.retryable is not None:
        meta.setdefault("retryable", output.retryable)
    return RunnerReport(
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


MAX_OUTCOME_BYTES = 8 << 20


def store_outcome(store: FileStore, key: str, outcome: RunnerReport) -> None:
    """Write an outcome."""
    store.put(key, io.BytesIO(outcome.model_dump_json().encode()), "application/json", UNKEPT)


def read_outcome(store: FileStore, key: str) -> RunnerReport | None:
    """Read an outcome; None where there is none.

    Raises ValueError when it is too large or not of the form: it was written where foreign code ran.
    """
    text = store.read(key, MAX_OUTCOME_BYTES)
    if text is None:
        return None
    try:
        return RunnerReport.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(f"the outcome is malformed: {error.error_count()} problems") from error
