"""Build the report in which a runner returns the outcome of a tool call.

The report contains the results in the length that a model may receive. Longer results are also stored as a file.
"""

import json
from collections.abc import Mapping
from typing import Any

from satchel.contract import Artifact, ArtifactProblem, ErrorCode, ToolOutput
from satchel.domain.calls import RunnerReport, StoredFile


def full_output_files(tool: str, output: ToolOutput, view: Mapping[str, Any]) -> list[Artifact]:
    """Return a file for the results and one for the meta data, each only if the model's ``view`` has it shortened."""
    files = []
    if view["results"] != output.results:
        files.append(_full_file(f"{tool}_results", output.results))
    if view.get("meta_data", {}) != output.meta_data:
        files.append(_full_file(f"{tool}_meta_data", output.meta_data))
    return files


def _full_file(name: str, value: object) -> Artifact:
    if isinstance(value, str):
        return Artifact(name=f"{name}.txt", mime="text/plain", content=value)
    return Artifact(name=f"{name}.json", mime="application/json", content=json.dumps(value, ensure_ascii=False))


def build_report(
    output: ToolOutput,
    view: Mapping[str, Any],
    files: list[StoredFile],
    problems: list[ArtifactProblem],
    runner_meta_data: Mapping[str, Any] | None = None,
) -> RunnerReport:
    """Return the report of a call. ``view`` is the output, shortened for the model.

    ``runner_meta_data`` overrides entries of the tool's meta data that have the same name.
    """
    meta: dict[str, Any] = {**view.get("meta_data", {}), **(runner_meta_data or {})}
    if "truncated" in view:
        meta["truncated"] = view["truncated"]
    if output.retryable is not None:
        meta.setdefault("retryable", output.retryable)
    return RunnerReport(
        results=view["results"],
        meta_data=meta or None,
        display=output.display,
        canvas=output.canvas,
        files=files,
        problems=problems,
        is_error=output.is_error,
        error_code=(output.error_code or ErrorCode.E_TOOL_FAILED) if output.is_error else None,
    )
