"""Make of a runner's outcome what everybody else sees: named files, events, the word to the model (state Normalize).

It handles references, never bytes, and believes a runner nothing that it can check.
"""

import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from satchel.contract import (
    Artifact,
    ArtifactProblem,
    DeferredArtifact,
    Display,
    ToolCrashed,
    ToolError,
    ToolFailed,
    limit_meta_data,
    safe_name,
)
from satchel.domain.audit import call_entry
from satchel.domain.call_events import call_events
from satchel.domain.calls import Call, CallResult, RunnerReport, StoredFile
from satchel.domain.canvas import Dashboard, admitted, refusal
from satchel.domain.conversation import ToolMessage
from satchel.domain.files import FileRecord, NewFile
from satchel.domain.ids import object_id
from satchel.domain.object_keys import expiry_tags, object_key, outcome_key
from satchel.domain.responses import ResponseArtifact, ResponseCanvas, ResponseDeferred
from satchel.domain.size_limits import MAX_FILES, cut, fit, plain
from satchel.domain.steps import CallRef, CallStep, Failure
from satchel.ports.calls import Calls
from satchel.ports.files import Files
from satchel.ports.sessions import Dashboards
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock, Metrics
from satchel.ports.turns import Events, Transcript
from satchel.services.calls.audit import RecordAudit, count_call
from satchel.services.calls.runner_report import read_outcome
from satchel.services.files.artifact_records import (
    kind_of_file,
    look_into_stored,
    parse_artifact,
    place_of,
    to_deferred_response,
    to_response,
)
from satchel.services.tools.tool_lists import MarkToolsStale

logger = logging.getLogger(__name__)

_PROBLEMS = "artifact_problems"
_MAX_TOLD = 10
_NO_FILE = {"primary_file": None}
_TIME_OUTS = {"States.Timeout", "States.HeartbeatTimeout"}


@dataclass(frozen=True)
class RecordToolResult:
    """Runs once for every call of a round, whatever became of the call; a second time it changes nothing."""

    calls: Calls
    files: Files
    transcript: Transcript
    events: Events
    store: FileStore
    clock: Clock
    dashboards: Dashboards
    audit: RecordAudit
    mark_tools_stale: MarkToolsStale
    metrics: Metrics
    canvas_origins: Collection[str] = ()

    def __call__(self, step: CallStep) -> CallRef:
        """Settle one call. Raises LookupError when there is no such call."""
        call = self.calls.get(step.turn_id, step.call_id)
        if call is None:
            raise LookupError(f"no such call to normalize: {step.call_id}")
        settled = call.settled or self.calls.settle(call.turn_id, call.call_id, fit(self._settle(call, step.failure)))
        self.transcript.add_result(call, _for_model(call.model_copy(update={"settled": settled}), settled))
        if settled.canvas:
            self.dashboards.keep(self._dashboard(call, settled.canvas))
        for event in call_events(call, settled):
            self.events.append(call.turn_id, event)
        if self.audit(call_entry(call, settled, self.clock.now())):
            count_call(self.metrics, call, settled)
        return CallRef(call_id=call.call_id)

    def _settle(self, call: Call, failure: Failure | None) -> CallResult:
        outcome = self._outcome(call, failure)
        if outcome.tools_changed:
            self.mark_tools_stale(call.tool)
        kept: dict[str, FileRecord] = {}
        artifacts: list[ResponseArtifact] = []
        deferred: list[ResponseDeferred] = []
        inline: list[str] = []
        problems = list(outcome.problems)
        refused = refusal(outcome.canvas, self.canvas_origins) if outcome.canvas else None
        for stored in outcome.files[:MAX_FILES]:
            try:
                said = parse_artifact(stored)
                record = self._keep(call, stored, said, outcome.display)
            except ToolError as error:
                problems.append(ArtifactProblem(name=stored.raw_name, code=error.code, reason=error.message))
                continue
            kept.setdefault(stored.raw_name, record)
            if isinstance(said, DeferredArtifact):
                deferred.append(to_deferred_response(said, record))
            else:
                artifacts.append(to_response(said, record, len(artifacts), shown=stored.declared))
                inline += [record.file_key] if stored.inline else []
        return CallResult(
            is_error=outcome.is_error,
            error_code=outcome.error_code,
            results=outcome.results,
            meta_data=_meta_data(call, outcome, problems, refused),
            artifacts=artifacts,
            deferred=deferred,
            inline=inline,
            display=_renamed(outcome.display, kept),
            canvas=admitted(outcome.canvas) if outcome.canvas and not refused else None,
            duration_ms=outcome.duration_ms,
        )

    def _outcome(self, call: Call, failure: Failure | None) -> RunnerReport:
        """A stored outcome is believed before a catcher's word: a late one is still the tool's."""
        try:
            outcome = read_outcome(self.store, outcome_key(call.user, call.turn_id, call.call_id))
        except ValueError as error:
            logger.warning("outcome refused", extra={"call_id": call.call_id, "reason": str(error)})
            return RunnerReport.of_error(ToolFailed(f"The runner handed over something that is no outcome: {error}"))
        if outcome is not None:
            return outcome
        if failure is None or failure.Error in _TIME_OUTS:
            return RunnerReport.of_error(ToolCrashed("The tool's environment ended without a word."), duration_ms=None)
        logger.error("call failed before its tool ran", extra={"call_id": call.call_id, "cause": failure.Cause[:2000]})
        return RunnerReport.of_error(ToolFailed(f"The call could not be made ({failure.Error})."))

    def _keep(
        self, call: Call, stored: StoredFile, said: Artifact | DeferredArtifact, display: Display | None
    ) -> FileRecord:
        name, derived = safe_name(said.name), object_id(call.call_id, stored.index)
        key = object_key(call.user, place_of(said), derived, name)
        if (stored.object_id, stored.key) != (derived, key):
            raise ToolFailed("The file is not where this call may put files.")
        found = self.store.head(key)
        if found is None:
            raise ToolFailed("The file did not arrive in the store.")
        lifetime = timedelta(hours=said.expires_hours) if isinstance(said, DeferredArtifact) else None
        # First: a file that is listed must not expire as one that nobody kept.
        self.store.tag(key, expiry_tags(lifetime) if lifetime else {})
        now = self.clock.now()
        new = NewFile(
            object_id=derived,
            key=key,
            user=call.user,
            session_id=call.session_id,
            name=name,
            raw_name=said.name,
            mime=said.mime,
            size=found.size,
            origin=call.call_id,
            created_at=now,
            description=said.description,
            category=said.category or (display.category_hint if display else None),
            temporary=display is not None and display.storage_action == "temporary",
            **kind_of_file(said, now),
        )
        return self.files.keep(look_into_stored(self.store, new))

    def _dashboard(self, call: Call, canvas: ResponseCanvas) -> Dashboard:
        whose = call.model_dump(include={"user", "session_id", "call_id"})
        return Dashboard(canvas_id=canvas.id, url=canvas.url, opened_at=self.clock.now(), **whose)


def _meta_data(
    call: Call, outcome: RunnerReport, problems: list[ArtifactProblem], refused: str | None
) -> dict[str, Any] | None:
    """What the person and the model should know besides: what was refused, names that meant no file."""
    meta = dict(outcome.meta_data or {})
    if problems:
        meta[_PROBLEMS] = [plain(problem.model_dump(mode="json")) for problem in problems[:MAX_FILES]]
    if refused:
        meta["canvas_refused"] = refused
    if call.unresolved:
        meta["unresolved_files"] = call.unresolved
    return meta or None


def _renamed(display: Display | None, kept: dict[str, FileRecord]) -> Display | None:
    """The tool names its primary file as it wrote it; the person knows it by the name that it got."""
    if display is None:
        return None
    hints = Display.model_validate(plain(display.model_dump(mode="json", exclude_unset=True)))
    record = kept.get(display.primary_file or "")
    return hints.model_copy(update={"primary_file": record.name}) if record else hints.model_copy(update=_NO_FILE)


def _in_short(meta: dict[str, Any]) -> dict[str, Any]:
    """The model needs to know which files were refused and why, not the last word about each of a hundred."""
    problems = meta.get(_PROBLEMS)
    if not isinstance(problems, list):
        return meta
    told = [p | {"name": cut(p["name"], 80), "reason": cut(p["reason"], 160)} for p in problems[:_MAX_TOLD]]
    more = len(problems) - _MAX_TOLD
    return meta | {_PROBLEMS: [*told, *([f"and {more} more"] if more > 0 else [])]}


def _for_model(call: Call, settled: CallResult) -> ToolMessage:
    content: dict[str, Any] = {"results": settled.results}
    if settled.meta_data:
        content["meta_data"], _ = limit_meta_data(_in_short(settled.meta_data))
    if names := [file.name for file in settled.files]:
        content["files"] = names
    return ToolMessage(
        ref=call.ref, tool=call.tool, content=content, failed=settled.is_error, mistaken=call.is_mistaken
    )
