"""Check the runner's report of a tool call and record the result (state RecordToolResult).

The result consists of file records, events, an audit entry and the message to the model. The runner executed
third-party code, so its report is untrusted. The files' bytes are already in S3; only their metadata is read here.
"""

import json
import logging
import re
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
    omission_start,
    scrub,
)
from satchel.contract.errors import Busy, NotAnswered, NotApproved
from satchel.domain.apps import APP_INDEX, state_key
from satchel.domain.arguments import FILE_ARGUMENTS
from satchel.domain.attachments import DOCUMENTS_SERVER
from satchel.domain.audit import ended_call_entry
from satchel.domain.call_events import call_events, refused_start_event
from satchel.domain.calls import NOT_APPROVED_IN_TIME, Call, CallResult, RunnerReport, StoredFile
from satchel.domain.canvas import Dashboard, rejection_reason, to_response_canvas
from satchel.domain.conversation import ToolMessage
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey
from satchel.domain.inputs import NOT_ANSWERED, CallInput
from satchel.domain.media import MAX_PICTURE_BYTES, MediaRef, media_of
from satchel.domain.object_keys import expiry_tags
from satchel.domain.quotas import TooManyRunningCalls
from satchel.domain.responses import ResponseArtifact, ResponseCanvas, ResponseDeferred
from satchel.domain.size_limits import MAX_FILES, strip_and_truncate, truncate
from satchel.domain.steps import CallStep, Failure
from satchel.domain.timestamps import format_time
from satchel.ports.calls import ReportedPage
from satchel.ports.files import Files
from satchel.ports.sessions import Dashboards
from satchel.ports.steps import CallEnd, EndedCall, Steps
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock, Metrics
from satchel.ports.turns import Events
from satchel.services.calls.audit import count_call, log_audit
from satchel.services.calls.relay_events import RelayEvents, readable_events
from satchel.services.files.artifact_records import (
    add_metadata_from_store,
    lifetime_of,
    to_deferred_response,
    to_new_file,
    to_response,
    to_stored_file,
)
from satchel.services.files.read_files import find_file
from satchel.services.files.storage_quota import StorageQuota
from satchel.services.side_by_side import side_by_side
from satchel.services.tools.tool_lists import MarkToolsStale, RememberAsking

logger = logging.getLogger(__name__)

_PROBLEMS = "artifact_problems"
_MAX_PROBLEMS_FOR_MODEL = 10
_MAX_DEFERRED_FOR_MODEL = 20
_MAX_ACTIONS_FOR_MODEL = 10
_MAX_DEFERRAL_CHARS = 300
_MAX_PICTURES = 20
_FAILED_CALL = "The dashboard was not opened, because the call failed."
_TOO_MANY_CALLS = (
    "The call did not start: the user's other tool calls are still running, as many as one user may run at a time. "
    "Call the tool again when they have ended."
)
_TASK_LOST = "The server still works on its task, but the turn no longer waits for it."
_FULL_RESULTS = re.compile(r"(?P<tool>.+)_results( \(\d+\))?\.(txt|json)")
_TOO_MANY_QUESTIONS = "TooManyQuestions"
_TIMEOUTS = {"States.Timeout", "States.HeartbeatTimeout"}


@dataclass(frozen=True)
class RecordToolResult:
    """Record the result of a tool call, even of a failed call. Recording the same call again changes nothing."""

    steps: Steps
    files: Files
    events: Events
    store: FileStore
    clock: Clock
    dashboards: Dashboards
    relay: RelayEvents
    mark_tools_stale: MarkToolsStale
    remember_asking: RememberAsking
    metrics: Metrics
    storage: StorageQuota
    canvas_origins: Collection[str] = ()
    reads_documents: bool = False

    def __call__(self, step: CallStep, report: RunnerReport | None = None) -> None:
        """Record the result of the workflow step's tool call. Raise LookupError if the call does not exist.

        ``report`` is the outcome of a call that no runner executes. It counts more than a runner's report.
        """
        records, latest, _ = side_by_side(
            lambda: self.steps.read_ended_call(step),
            lambda: self.relay.reported.read_latest(step.call_id),
            lambda: self.events.read_last_number(step.turn_id),
        )
        call, report = records.call, report or records.report
        if call is None or (call.user, call.turn_id) != (step.user, step.turn_id):
            raise LookupError(f"no such call to record: {step.call_id}")
        if call.result is None:
            if report is None and _was_not_approved(call, step):
                self.events.append(call.turn_id, refused_start_event(call))
                report = RunnerReport.from_error(NotApproved(NOT_APPROVED_IN_TIME))
            report = report or _missing_report(call, step.failure)
            page = self.relay.find_rest(call.call_id, latest, records.position)
            self._record(call, report, page, records.questions, step.failure)

    def at_once(self, call: Call, report: RunnerReport) -> None:
        """Record the result of a call without reading anything: it has just started, and has no events of its runner.

        If its runner has reported events nevertheless, they are dropped. Not for reports that store more than a result:
        if a timeout has ended the call meanwhile, its files would be stored in vain.
        """
        self._record(call, report, None, None, None)

    def _record(
        self,
        call: Call,
        report: RunnerReport,
        page: ReportedPage | None,
        questions: CallInput | None,
        failure: Failure | None,
    ) -> None:
        if report.asks:
            report = _unanswered_report(call, failure)
        elif report.task:
            report = RunnerReport.from_error(ToolFailed(_TASK_LOST))
        if report.tools_changed:
            self.mark_tools_stale(call.tool)
        if report.asks_while_running is not None:
            self.remember_asking(call.tool, asks_while_running=report.asks_while_running)
        result = self._result(call, report).bounded()
        if result.canvas:
            self.dashboards.save(self._dashboard(call, result.canvas))
        self._save(call, result, page, questions, stops_runner=failure is not None)

    def _save(
        self,
        call: Call,
        result: CallResult,
        page: ReportedPage | None,
        questions: CallInput | None,
        *,
        stops_runner: bool,
    ) -> None:
        """Store and publish the result after the last events of the runner. Do nothing if a result is stored."""
        audit = ended_call_entry(call, result, self.clock.now())
        with_result = call.model_copy(update={"result": result})
        message = _message_to_model(with_result, result, reads_documents=self.reads_documents)
        if questions and (answered := questions.for_model()):
            message.content["questions_to_user"] = answered
        events = list(call_events(call, result))
        while True:
            relayed = readable_events(page) if page else []
            ended = EndedCall(call, result, message, audit, events, relayed, page, stops_runner, questions)
            outcome = self.steps.end_call(ended)
            if outcome is not CallEnd.RELAY_MOVED:
                break
            page = self.relay.read_rest(call.call_id)
            questions = self.steps.read_ended_call(call).questions
        if outcome is CallEnd.ENDED:
            log_audit(audit)
            count_call(self.metrics, call, result)

    def _result(self, call: Call, report: RunnerReport) -> CallResult:
        saved, pictures, problems = self._save_files(call, report)
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
            media=[*pictures, *_shown_pictures(saved)][:_MAX_PICTURES],
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
    ) -> tuple[list[tuple[StoredFile, FileRecord]], list[MediaRef], list[ArtifactProblem]]:
        """Save the reported files. Return them with their records, pictures that only the model sees, and problems."""
        saved: list[tuple[StoredFile, FileRecord]] = []
        pictures: list[MediaRef] = []
        problems = list(report.problems)
        for stored in report.files:
            try:
                if source := self._viewed_file(call, stored):
                    if len(pictures) == _MAX_PICTURES:
                        raise ToolFailed(f"The model sees at most {_MAX_PICTURES} pictures of a call.")
                    pictures.append(self._save_view(call, stored, source))
                else:
                    save = self._save_app if stored.index == APP_INDEX else self._save_file
                    saved.append((stored, save(call, stored, report.display)))
            except ToolError as error:
                problems.append(ArtifactProblem(name=stored.artifact.name, code=error.code, reason=error.message))
        return saved, pictures, problems

    def _stored_size(self, call: Call, stored: StoredFile) -> int:
        """Return the size of a reported file. Raise ToolFailed if it is missing or has the S3 key of another call.

        Raise StorageExhausted if the user's storage quota is used up.
        """
        expected = to_stored_file(call.user, call.call_id, stored.index, stored.artifact)
        if (stored.object_id, stored.key) != (expected.object_id, expected.key):
            raise ToolFailed("The file is outside the storage prefix of this call.")
        found = self.store.head(stored.key)
        if found is None:
            raise ToolFailed("The file is missing in the storage.")
        self.storage.check_tool_file(call.user, FileKey(expected.object_id), found.size)
        return found.size

    def _viewed_file(self, call: Call, stored: StoredFile) -> FileRecord | None:
        """Return the user's file of which a stored file is a picture for the model only, or None for other files."""
        if not isinstance(stored.artifact, Artifact) or stored.artifact.audience != "assistant":
            return None
        names = ((call.injected or {}).get(argument) for argument in FILE_ARGUMENTS)
        name = next((name for name in names if isinstance(name, str)), "")
        record = find_file(self.files, call.user, call.session_id, name, self.clock.now())
        return record if record and media_of(record) else None

    def _save_view(self, call: Call, stored: StoredFile, source: FileRecord) -> MediaRef:
        """Keep a picture of a file that only the model sees, as long as the file. Raise ToolFailed."""
        size = self._stored_size(call, stored)
        if size > MAX_PICTURE_BYTES:
            raise ToolFailed(f"The picture has {size} bytes, but only the model sees it: at most {MAX_PICTURE_BYTES}.")
        view = media_of(add_metadata_from_store(self.store, to_new_file(call, stored, None, size, self.clock.now())))
        if view is None or view.width is None:
            raise ToolFailed("The file is not a picture.")
        self.store.set_tags(stored.key, {})
        self.files.add_view(source, stored.key, size)
        return view.model_copy(update={"name": source.name})

    def _save_file(self, call: Call, stored: StoredFile, display: Display | None) -> FileRecord:
        """Save a reported file's record. Raise ToolFailed or StorageExhausted."""
        artifact = stored.artifact
        size = self._stored_size(call, stored)
        # Replace the tags before saving the record: with the old tags, S3 would delete the file after some time.
        self.store.set_tags(stored.key, {} if isinstance(artifact, Artifact) else expiry_tags(lifetime_of(artifact)))
        new = to_new_file(call, stored, display, size, self.clock.now())
        return self.files.save(add_metadata_from_store(self.store, new))

    def _save_app(self, call: Call, stored: StoredFile, display: Display | None) -> FileRecord:
        """Save the record of an app, and keep its state as long as the app. Raise ToolFailed or StorageExhausted."""
        key = state_key(call.user, call.call_id)
        state = self.store.head(key)
        if state is None:
            raise ToolFailed("The state of the app is missing in the storage.")
        record = self._save_file(call, stored, display)
        self.store.set_tags(key, {})
        self.files.add_view(record, key, state.size)
        return record

    def _dashboard(self, call: Call, canvas: ResponseCanvas) -> Dashboard:
        ids = call.model_dump(include={"user", "session_id", "call_id"})
        return Dashboard(canvas_id=canvas.id, url=canvas.url, opened_at=self.clock.now(), **ids)


def _shown_pictures(saved: Sequence[tuple[StoredFile, FileRecord]]) -> list[MediaRef]:
    """Return references to the pictures among the files that the tool declares in its output."""
    records = (record for stored, record in saved if stored.declared and not stored.deferred)
    return [media for record in records if (media := media_of(record)) and media.kind == "picture"]


def _was_not_approved(call: Call, step: CallStep) -> bool:
    """Return True if the state Dispatch timed out during the wait for the user's approval: the call has no server."""
    return step.approval and step.failure is not None and step.failure.Error in _TIMEOUTS and call.server is None


def _missing_report(call: Call, failure: Failure | None) -> RunnerReport:
    """Return the report of a call whose runner stored none."""
    if failure is not None and failure.Error == TooManyRunningCalls.__name__:
        return RunnerReport.from_error(Busy(_TOO_MANY_CALLS))
    if failure is None or failure.Error in _TIMEOUTS:
        crash = ToolCrashed("The tool's environment stopped without returning a result.")
        return RunnerReport.from_error(crash, duration_ms=None)
    logger.error("call failed outside of its runner", extra={"call_id": call.call_id, "cause": failure.Cause[:2000]})
    when = "before the tool ran" if call.server is None else "while the tool ran"
    return RunnerReport.from_error(ToolFailed(f"The call failed {when} ({failure.Error})."))


def _unanswered_report(call: Call, failure: Failure | None) -> RunnerReport:
    """Return the report of a call that ended with questions to which there are no answers."""
    error = failure.Error if failure else ""
    if error in _TIMEOUTS:
        return RunnerReport.from_error(NotAnswered(NOT_ANSWERED))
    if error == _TOO_MANY_QUESTIONS:
        return RunnerReport.from_error(NotAnswered("The tool asked the user too often, so the call was ended."))
    logger.error("the user could not be asked", extra={"call_id": call.call_id, "error": error})
    return RunnerReport.from_error(NotAnswered("The tool's question could not be shown to the user."))


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


def _call_that_reads_on(call: Call, result: CallResult) -> str | None:
    """Return the call of ``documents`` that reads the omitted part of the results in the file with all of them."""
    start = omission_start(result.results)
    if start is None or "truncated" not in (result.meta_data or {}):
        return None
    for name in (file.name for file in result.files):
        match = _FULL_RESULTS.fullmatch(name)
        if match and call.tool.endswith(f".{match['tool']}"):
            line, offset = start
            arguments = {"filename": name, "lines": f"{line}-", **({"offset": offset} if offset else {})}
            return f"{DOCUMENTS_SERVER}.read {json.dumps(arguments, ensure_ascii=False)}"
    return None


def _message_to_model(call: Call, result: CallResult, *, reads_documents: bool) -> ToolMessage:
    content: dict[str, Any] = {"results": result.results}
    if reads_documents and (following := _call_that_reads_on(call, result)):
        content["omitted"] = f"The part that is omitted from the results begins with {following}"
    if result.meta_data:
        content["meta_data"], _ = limit_meta_data(_with_short_problems(result.meta_data))
    if names := [file.name for file in result.files]:
        content["files"] = names
    if result.deferred:
        content["deferred_files"] = [_deferral_for_model(file) for file in result.deferred[:_MAX_DEFERRED_FOR_MODEL]]
    return ToolMessage(
        ref=call.ref,
        tool=call.tool,
        content=content,
        failed=result.is_error,
        mistaken=call.is_mistaken,
        media=result.media,
    )


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
