"""Check the runner's report of a tool call and record the result (state RecordToolResult).

The result consists of file records, events, an audit entry and the message to the model. The runner executed
third-party code, so its report is untrusted. The files' bytes are already in S3; only their metadata is read here.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from satchel.contract import (
    Artifact,
    ArtifactProblem,
    Display,
    ToolCrashed,
    ToolError,
    ToolFailed,
    limit_meta_data,
    scrub,
)
from satchel.contract.errors import Busy
from satchel.domain.audit import ended_call_entry
from satchel.domain.call_events import call_events
from satchel.domain.calls import Call, CallResult, RunnerReport, StoredFile
from satchel.domain.canvas import Dashboard, rejection_reason, to_response_canvas
from satchel.domain.conversation import ToolMessage
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey
from satchel.domain.object_keys import expiry_tags, outcome_key
from satchel.domain.quotas import TooManyRunningCalls
from satchel.domain.responses import ResponseArtifact, ResponseCanvas, ResponseDeferred
from satchel.domain.size_limits import MAX_FILES, strip_and_truncate, truncate
from satchel.domain.steps import CallRef, CallStep, Failure
from satchel.domain.timestamps import format_time
from satchel.domain.tools import BUILTIN_TOOLS
from satchel.ports.calls import Calls
from satchel.ports.files import Files
from satchel.ports.quotas import QuotaCounts
from satchel.ports.sessions import Dashboards
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock, Metrics
from satchel.ports.turns import Events, Transcript
from satchel.services.calls.audit import RecordAudit, count_call
from satchel.services.calls.relay_events import RelayEvents
from satchel.services.calls.runner_report import read_report
from satchel.services.files.artifact_records import (
    add_metadata_from_store,
    lifetime_of,
    to_deferred_response,
    to_new_file,
    to_response,
    to_stored_file,
)
from satchel.services.files.storage_quota import StorageQuota
from satchel.services.tools.tool_lists import MarkToolsStale

logger = logging.getLogger(__name__)

_PROBLEMS = "artifact_problems"
_MAX_PROBLEMS_FOR_MODEL = 10
_MAX_DEFERRED_FOR_MODEL = 20
_MAX_ACTIONS_FOR_MODEL = 10
_MAX_DEFERRAL_CHARS = 300
_FAILED_CALL = "The dashboard was not opened, because the call failed."
_TOO_MANY_CALLS = (
    "The call did not start: the user's other tool calls are still running, as many as one user may run at a time. "
    "Call the tool again when they have ended."
)
_TIMEOUTS = {"States.Timeout", "States.HeartbeatTimeout"}


@dataclass(frozen=True)
class RecordToolResult:
    """Record the result of a tool call, even of a failed call. Recording the same call again changes nothing."""

    calls: Calls
    files: Files
    transcript: Transcript
    events: Events
    store: FileStore
    clock: Clock
    dashboards: Dashboards
    audit: RecordAudit
    relay: RelayEvents
    mark_tools_stale: MarkToolsStale
    metrics: Metrics
    storage: StorageQuota
    quota_counts: QuotaCounts
    canvas_origins: Collection[str] = ()

    def __call__(self, step: CallStep) -> CallRef:
        """Record the result of the workflow step's tool call. Raise LookupError if the call does not exist."""
        call = self.calls.get(step.turn_id, step.call_id)
        if call is None:
            raise LookupError(f"no such call to record: {step.call_id}")
        result = call.result or self._save_result(call, step.failure)
        self.transcript.add_result(call, _message_to_model(call.model_copy(update={"result": result}), result))
        if result.canvas:
            self.dashboards.save(self._dashboard(call, result.canvas))
        self.relay.finish(call.call_id)
        for event in call_events(call, result):
            self.events.append(call.turn_id, event)
        if self.audit(ended_call_entry(call, result, self.clock.now())):
            count_call(self.metrics, call, result)
        if call.tool not in BUILTIN_TOOLS:
            self.quota_counts.end_calls(call.user, [call.call_id])
        return CallRef(call_id=call.call_id)

    def _save_result(self, call: Call, failure: Failure | None) -> CallResult:
        report = self._read_report(call, failure)
        if report.tools_changed:
            self.mark_tools_stale(call.tool)
        return self.calls.save_result(call.turn_id, call.call_id, self._result(call, report).bounded())

    def _read_report(self, call: Call, failure: Failure | None) -> RunnerReport:
        """Return the runner's report, even if its task timed out, or an error report if it is missing or invalid."""
        try:
            report = read_report(self.store, outcome_key(call.user, call.turn_id, call.call_id))
        except ValueError as error:
            logger.warning("invalid runner report", extra={"call_id": call.call_id, "reason": str(error)})
            return RunnerReport.from_error(ToolFailed(f"The runner's report is invalid: {error}"))
        if report is not None:
            return report
        if failure is not None and failure.Error == TooManyRunningCalls.__name__:
            return RunnerReport.from_error(Busy(_TOO_MANY_CALLS))
        if failure is None or failure.Error in _TIMEOUTS:
            crash = ToolCrashed("The tool's environment stopped without returning a result.")
            return RunnerReport.from_error(crash, duration_ms=None)
        logger.error("call failed before its tool ran", extra={"call_id": call.call_id, "cause": failure.Cause[:2000]})
        return RunnerReport.from_error(ToolFailed(f"The call failed before the tool ran ({failure.Error})."))

    def _result(self, call: Call, report: RunnerReport) -> CallResult:
        saved, problems = self._save_files(call, report)
        artifacts: list[ResponseArtifact] = []
        deferred: list[ResponseDeferred] = []
        for stored, record in saved:
            if isinstance(stored.artifact, Artifact):
                position, declared = len(artifacts), stored.declared
                artifacts.append(to_response(stored.artifact, record, position, report.display, declared=declared))
            else:
                deferred.append(to_deferred_response(record))
        refused = self._canvas_rejection(report)
        canvas = None if refused else report.canvas
        return CallResult(
            is_error=report.is_error,
            error_code=report.error_code,
            results=scrub(report.results),
            meta_data=scrub(_meta_data(call, report, problems, refused)),
            artifacts=artifacts,
            deferred=deferred,
            inline=[record.file_key for stored, record in saved if stored.inline and not stored.deferred],
            display=_with_final_name(report.display, saved),
            canvas=to_response_canvas(canvas) if canvas else None,
            canvas_token=(canvas.token or None) if canvas else None,
            duration_ms=report.duration_ms,
        )

    def _canvas_rejection(self, report: RunnerReport) -> str | None:
        if report.canvas is None:
            return None
        return _FAILED_CALL if report.is_error else rejection_reason(report.canvas, self.canvas_origins)

    def _save_files(
        self, call: Call, report: RunnerReport
    ) -> tuple[list[tuple[StoredFile, FileRecord]], list[ArtifactProblem]]:
        saved, problems = [], list(report.problems)
        for stored in report.files:
            try:
                saved.append((stored, self._save_file(call, stored, report.display)))
            except ToolError as error:
                problems.append(ArtifactProblem(name=stored.artifact.name, code=error.code, reason=error.message))
        return saved, problems

    def _save_file(self, call: Call, stored: StoredFile, display: Display | None) -> FileRecord:
        """Save a reported file's record. Raise ToolFailed if the file is missing or has the S3 key of another call.

        Raise StorageExhausted if the user's storage quota is used up.
        """
        artifact = stored.artifact
        expected = to_stored_file(call.user, call.call_id, stored.index, artifact)
        if (stored.object_id, stored.key) != (expected.object_id, expected.key):
            raise ToolFailed("The file is outside the storage prefix of this call.")
        found = self.store.head(stored.key)
        if found is None:
            raise ToolFailed("The file is missing in the storage.")
        self.storage.check_tool_file(call.user, FileKey(expected.object_id), found.size)
        # Replace the tags before saving the record: with the old tags, S3 would delete the file after some time.
        self.store.set_tags(stored.key, {} if isinstance(artifact, Artifact) else expiry_tags(lifetime_of(artifact)))
        new = to_new_file(call, stored, display, found.size, self.clock.now())
        return self.files.save(add_metadata_from_store(self.store, new))

    def _dashboard(self, call: Call, canvas: ResponseCanvas) -> Dashboard:
        ids = call.model_dump(include={"user", "session_id", "call_id"})
        return Dashboard(canvas_id=canvas.id, url=canvas.url, opened_at=self.clock.now(), **ids)


def _meta_data(
    call: Call, report: RunnerReport, problems: list[ArtifactProblem], canvas_refused: str | None
) -> dict[str, Any] | None:
    """Return the tool's meta data, with added entries for failed files, a rejected canvas and unknown file names."""
    meta = dict(report.meta_data or {})
    if problems:
        meta[_PROBLEMS] = [strip_and_truncate(problem.model_dump(mode="json")) for problem in problems[:MAX_FILES]]
    if canvas_refused:
        meta["canvas_refused"] = canvas_refused
    if call.unresolved:
        meta["unresolved_files"] = call.unresolved
    return meta or None


def _with_final_name(display: Display | None, saved: Sequence[tuple[StoredFile, FileRecord]]) -> Display | None:
    """Return ``display`` with the saved name of its ``primary_file``, or with None if that file was not saved."""
    if display is None:
        return None
    hints = Display.model_validate(strip_and_truncate(display.model_dump(mode="json", exclude_unset=True)))
    names = (record.name for stored, record in saved if stored.artifact.name == display.primary_file)
    return hints.model_copy(update={"primary_file": next(names, None)})


def _message_to_model(call: Call, result: CallResult) -> ToolMessage:
    content: dict[str, Any] = {"results": result.results}
    if result.meta_data:
        content["meta_data"], _ = limit_meta_data(_with_short_problems(result.meta_data))
    if names := [file.name for file in result.files]:
        content["files"] = names
    if result.deferred:
        content["deferred_files"] = [_deferral_for_model(file) for file in result.deferred[:_MAX_DEFERRED_FOR_MODEL]]
    return ToolMessage(ref=call.ref, tool=call.tool, content=content, failed=result.is_error, mistaken=call.is_mistaken)


def _deferral_for_model(file: ResponseDeferred) -> dict[str, Any]:
    """Describe a deferred file to the model, which tells the user why the file waits and what the user can do."""
    fields = {
        "name": file.name,
        "description": file.description and truncate(file.description, _MAX_DEFERRAL_CHARS),
        "reason": file.status,
        "next_actions": [
            truncate(action, _MAX_DEFERRAL_CHARS) for action in file.next_actions[:_MAX_ACTIONS_FOR_MODEL]
        ],
        "expires_at": file.expires_at and format_time(file.expires_at),
    }
    return {name: value for name, value in fields.items() if value}


def _with_short_problems(meta: dict[str, Any]) -> dict[str, Any]:
    """Keep at most ten file problems and shorten their texts, because hundreds would fill the model's context."""
    problems = meta.get(_PROBLEMS)
    if not isinstance(problems, list):
        return meta
    shown = problems[:_MAX_PROBLEMS_FOR_MODEL]
    short = [
        problem | {"name": truncate(problem["name"], 80), "reason": truncate(problem["reason"], 160)}
        for problem in shown
    ]
    more = len(problems) - _MAX_PROBLEMS_FOR_MODEL
    return meta | {_PROBLEMS: [*short, *([f"and {more} more"] if more > 0 else [])]}
