"""Make of a runner's outcome what everybody else sees: named files, events, the word to the model (state Normalize).

It handles references, never bytes, and believes a runner nothing that it can check.
"""

import logging
from dataclasses import dataclass
from typing import Any

from satchel.contract import ArtifactProblem, Display, is_showable, safe_name, viewer_for
from satchel.contract.errors import ToolCrashed, ToolError, ToolFailed
from satchel.domain.calls import Call, CallSettled, Outcome, StoredFile
from satchel.domain.conversation import ToolMessage
from satchel.domain.events import NewEvent
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.places import call_objects_prefix, outcome_key
from satchel.domain.responses import ResponseArtifact, ResponseDeferred
from satchel.domain.steps import CallRef, CallStep, Failure
from satchel.ports.catalog import Calls, Files, Transcript
from satchel.ports.clock import Clock
from satchel.ports.events import Events
from satchel.ports.file_store import FileStore
from satchel.services.store_outcome import read_outcome

logger = logging.getLogger(__name__)

_TIME_OUTS = {"States.Timeout", "States.HeartbeatTimeout"}
_HOUR = 3600


@dataclass(frozen=True)
class NormalizeOutcome:
    """Runs once for every call of a round, whatever became of the call; a second time it changes nothing."""

    calls: Calls
    files: Files
    transcript: Transcript
    events: Events
    store: FileStore
    clock: Clock

    def __call__(self, step: CallStep) -> CallRef:
        """Settle one call. Raises LookupError when there is no such call."""
        call = self.calls.get(step.turn_id, step.call_id)
        if call is None:
            raise LookupError(f"no such call to normalize: {step.call_id}")
        settled = call.settled or self.calls.settle(call.turn_id, call.call_id, self._settle(call, step.failure))
        self.transcript.add_result(call, _for_model(call, settled))
        self._tell(call, settled)
        return CallRef(call_id=call.call_id)

    def _settle(self, call: Call, failure: Failure | None) -> CallSettled:
        outcome = self._outcome(call, failure)
        kept: dict[str, FileRecord] = {}
        artifacts: list[ResponseArtifact] = []
        deferred: list[ResponseDeferred] = []
        problems = list(outcome.problems)
        for stored in outcome.files:
            try:
                record = self._keep(call, stored, outcome.display)
            except ToolError as error:
                problems.append(ArtifactProblem(name=stored.raw_name, code=error.code, reason=error.message))
                continue
            kept.setdefault(stored.raw_name, record)
            if stored.deferred:
                deferred.append(_deferred(stored, record))
            else:
                artifacts.append(_artifact(stored, record, len(artifacts)))
        return CallSettled(
            is_error=outcome.is_error,
            error_code=outcome.error_code,
            results=outcome.results,
            meta_data=_meta_data(call, outcome, problems),
            artifacts=artifacts,
            deferred=deferred,
            display=_renamed(outcome.display, kept),
            canvas=outcome.canvas,
            duration_ms=outcome.duration_ms,
        )

    def _outcome(self, call: Call, failure: Failure | None) -> Outcome:
        """A stored outcome is believed before a catcher's word: a late one is still the tool's."""
        try:
            outcome = read_outcome(self.store, outcome_key(call.user, call.turn_id, call.call_id))
        except ValueError as error:
            logger.warning("outcome refused", extra={"call_id": call.call_id, "reason": str(error)})
            return Outcome.of_error(ToolFailed(f"The runner handed over something that is no outcome: {error}"))
        if outcome is not None:
            return outcome
        if failure is None or failure.Error in _TIME_OUTS:
            return Outcome.of_error(ToolCrashed("The tool's environment ended without a word."))
        logger.error("call failed before its tool ran", extra={"call_id": call.call_id, "cause": failure.Cause[:2000]})
        return Outcome.of_error(ToolFailed(f"The call could not be made ({failure.Error})."))

    def _keep(self, call: Call, stored: StoredFile, display: Display | None) -> FileRecord:
        if not stored.key.startswith(call_objects_prefix(call.user, call.call_id)) or "/../" in stored.key:
            raise ToolFailed("The file is not where this call may put files.")
        found = self.store.head(stored.key)
        if found is None:
            raise ToolFailed("The file did not arrive in the store.")
        meta = stored.artifact
        hours = meta.get("expires_hours") if stored.deferred else None
        return self.files.keep(
            NewFile(
                object_id=stored.object_id,
                key=stored.key,
                user=call.user,
                session_id=call.session_id,
                name=safe_name(stored.raw_name),
                raw_name=stored.raw_name,
                mime=stored.mime,
                size=found.size,
                source=Source.DEFERRED if stored.deferred else Source.GENERATED,
                origin=call.call_id,
                created_at=self.clock.now(),
                description=meta.get("description"),
                viewer=meta.get("viewer"),
                category=meta.get("category") or (display.category_hint if display else None),
                auto_open=bool(meta.get("auto_open")),
                temporary=display is not None and display.storage_action == "temporary",
                expires_at=int(self.clock.now().timestamp()) + hours * _HOUR if hours else None,
            ),
        )

    def _tell(self, call: Call, settled: CallSettled) -> None:
        said = {
            "call_id": call.call_id,
            "tool": call.tool,
            "is_error": settled.is_error,
            "error_code": settled.error_code,
            "results": settled.results,
        }
        self.events.append(call.turn_id, NewEvent(type="tool_complete", payload=said, once=f"end-{call.call_id}"))
        if settled.files:
            update = {
                "update_type": "files_update",
                "call_id": call.call_id,
                "files": [_reference(file) for file in settled.files],
                "display": settled.display.model_dump(exclude_none=True) if settled.display else None,
            }
            once = f"files-{call.call_id}"
            self.events.append(call.turn_id, NewEvent(type="intermediate_update", payload=update, once=once))


def _reference(file: ResponseArtifact | ResponseDeferred) -> dict[str, Any]:
    return file.model_dump(exclude={"content", "metadata", "download_url"}, exclude_none=True)


def _artifact(stored: StoredFile, record: FileRecord, position: int) -> ResponseArtifact:
    meta = stored.artifact
    viewer = meta.get("viewer")
    return ResponseArtifact(
        id=meta.get("id") or record.file_key,
        type=meta.get("type") or record.mime,
        title=meta.get("title") or record.name,
        position=position,
        name=record.name,
        mime=record.mime,
        size=record.size,
        viewer=viewer if viewer and viewer != "auto" else viewer_for(record.mime, record.name),
        category=record.category,
        description=record.description,
        language=meta.get("language"),
        metadata=meta.get("metadata"),
        showable=is_showable(record.mime, record.name),
        auto_open=record.auto_open,
        file_key=record.file_key,
        version=record.version,
    )


def _deferred(stored: StoredFile, record: FileRecord) -> ResponseDeferred:
    return ResponseDeferred(
        name=record.name,
        file_key=record.file_key,
        version=record.version,
        mime=record.mime,
        size=record.size,
        description=record.description,
        reason=stored.artifact.get("reason"),
        next_actions=stored.artifact.get("next_actions") or [],
        category=record.category,
        expires_at=record.expires_at,
    )


def _meta_data(call: Call, outcome: Outcome, problems: list[ArtifactProblem]) -> dict[str, Any] | None:
    """What the person and the model should know besides: files that were refused, names that meant no file."""
    meta = dict(outcome.meta_data or {})
    if problems:
        meta["artifact_problems"] = [problem.model_dump(mode="json") for problem in problems]
    if call.unresolved:
        meta["unresolved_files"] = call.unresolved
    return meta or None


def _renamed(display: Display | None, kept: dict[str, FileRecord]) -> Display | None:
    """The tool names its primary file as it wrote it; the person knows it by the name that it got."""
    if display is None or display.primary_file is None:
        return display
    record = kept.get(display.primary_file)
    return display.model_copy(update={"primary_file": record.name if record else None})


def _for_model(call: Call, settled: CallSettled) -> ToolMessage:
    content: dict[str, Any] = {"results": settled.results}
    if settled.meta_data:
        content["meta_data"] = settled.meta_data
    if names := [file.name for file in settled.files]:
        content["files"] = names
    return ToolMessage(ref=call.ref, tool=call.tool, content=content, failed=settled.is_error)
