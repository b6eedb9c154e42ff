"""End turns, each exactly once and with exactly one last event (function finish).

Normally the workflow's last state, Finish, ends the turn. If the workflow stops earlier, an EventBridge rule ends the
turn. ``EndStuckTurn`` handles the other cases: the workflow never started, or the last event was not written.
"""

import json
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from satchel.domain import llm
from satchel.domain.audit import unfinished_call_entry
from satchel.domain.conversation import AssistantMessage
from satchel.domain.events import NewEvent
from satchel.domain.metrics import TURN_DURATION, TURNS
from satchel.domain.response_composition import compose_response
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.size_limits import MAX_EVENT_BYTES
from satchel.domain.steps import MAX_CORRECTIONS, TurnStep
from satchel.ports.calls import Calls
from satchel.ports.quotas import QuotaCounts
from satchel.ports.system import Clock, Metrics
from satchel.ports.turns import Events, Transcript, Turns, Workflow
from satchel.services.calls.audit import RecordAudit, count_interrupted_call

logger = logging.getLogger(__name__)

GRACE_PERIOD = timedelta(seconds=15)
"""A turn counts as stuck if its execution does not start, or its last event is not written, within this time."""

_TOO_MANY_ROUNDS = (
    "The model called tools in {rounds} rounds, the maximum of a turn, and gave no answer. The results of the tools "
    "are saved: send another message to continue."
)
_TOO_MANY_MISTAKES = (
    "The model made invalid tool calls {times} times, received an error each time, and gave no answer. Please rephrase "
    "your message or choose another model."
)
_FAILED = "The turn failed because of an internal error. The results of finished tools are saved. Please try again."
_TIMED_OUT = "The turn exceeded the maximum duration and was stopped."
_CANCELLED = "The turn was cancelled."
_NOT_IN_EVENTS: dict[str, Any] = {
    "artifacts": {"__all__": {"content"}},
    "tool_calls": {"__all__": {"arguments", "results", "meta_data"}},
}


class Ending(StrEnum):
    """The reason why a turn ends. ``LOST``: the turn's execution is missing, or stopped before it ended the turn."""

    NORMAL = "normal"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    LOST = "lost"


@dataclass(frozen=True)
class FinishTurn:
    """End a turn. No other class ends turns. The first call decides the status; later calls do not change it."""

    turns: Turns
    calls: Calls
    transcript: Transcript
    events: Events
    clock: Clock
    audit: RecordAudit
    metrics: Metrics
    quota_counts: QuotaCounts

    def __call__(self, step: TurnStep, ending: Ending = Ending.NORMAL) -> TurnStatus:
        """End the turn, publish its last event and return its status. Raise LookupError if there is no such turn."""
        turn = self.turns.get(step.session_id, step.turn_id)
        if turn is None:
            raise LookupError(f"no such turn to finish: {step.turn_id}")
        if not turn.has_ended:
            ended = self._ended(turn, step, ending)
            if self.turns.end(ended):
                self._count(ended)
            turn = self.turns.get(step.session_id, step.turn_id) or turn
        self._publish_end(turn)
        self._audit_interrupted_calls(turn)
        return turn.status

    def after_execution(self, step: TurnStep, ending: Ending) -> TurnStatus | None:
        """End the turn of a stopped execution. Return None if the turn no longer exists.

        The erasure of a user's data stops executions and deletes their turns, so a missing turn is not an error here.
        """
        if self.turns.get(step.session_id, step.turn_id) is None:
            logger.info("the turn of a stopped execution is deleted", extra={"turn_id": step.turn_id})
            return None
        return self(step, ending)

    def _ended(self, turn: Turn, step: TurnStep, ending: Ending) -> Turn:
        if step.failure:
            logger.error("turn failed", extra={"turn_id": turn.turn_id, "cause": step.failure.model_dump()})
        answer = self._answer(turn, step)
        error = _error(step, ending) or (None if answer else self._no_answer_error(turn, step))
        status = TurnStatus.COMPLETE
        if error:
            status = TurnStatus.CANCELLED if ending is Ending.CANCELLED else TurnStatus.FAILED
        text = answer.text if answer else ""
        return turn.model_copy(update={"status": status, "answer": text, "error": error, "ended_at": self.clock.now()})

    def _no_answer_error(self, turn: Turn, step: TurnStep) -> TurnError:
        """Return the error for a turn that has no answer: too many invalid tool calls, or too many rounds."""
        mistaken_rounds = {call.round for call in self.calls.list(turn.turn_id) if call.is_mistaken}
        if len(mistaken_rounds) > MAX_CORRECTIONS:
            message = _TOO_MANY_MISTAKES.format(times=len(mistaken_rounds))
            return TurnError(error_code="E_TOO_MANY_MISTAKES", message=message)
        return TurnError(error_code="E_TOO_MANY_ROUNDS", message=_TOO_MANY_ROUNDS.format(rounds=step.round - 1))

    def _answer(self, turn: Turn, step: TurnStep) -> AssistantMessage | None:
        """Return the model's reply in the last round if it is a final answer, otherwise None."""
        if step.round == 0:
            return None
        reply = self.transcript.get_reply(turn.session_id, turn.turn_id, step.round - 1)
        return reply if reply and not reply.calls else None

    def _count(self, turn: Turn) -> None:
        duration = (turn.ended_at or turn.created_at) - turn.created_at
        self.metrics.add(TURNS, 1, turn.status)
        self.metrics.add(TURN_DURATION, duration / timedelta(milliseconds=1), turn.status)

    def _audit_interrupted_calls(self, turn: Turn) -> None:
        """If the turn failed, write audit entries for its calls without a result, because their tools may have run."""
        if turn.error is None:
            return
        if interrupted := [call for call in self.calls.list(turn.turn_id) if call.result is None]:
            self.quota_counts.end_calls(turn.user, [call.call_id for call in interrupted])
        for call in interrupted:
            if self.audit(unfinished_call_entry(call, turn.error.error_code, self.clock.now())):
                count_interrupted_call(self.metrics, call, turn.error.error_code)

    def _publish_end(self, turn: Turn) -> None:
        """Publish the turn's last event: ``response_complete`` if it has an answer, otherwise ``turn_failed``."""
        if turn.error is None:
            event = NewEvent(type="response_complete", payload={"response": self._response(turn)}, dedupe_key="end")
        else:
            payload: dict[str, Any] = {"status": turn.status, "error": turn.error.model_dump()}
            event = NewEvent(type="turn_failed", payload=payload, dedupe_key="end")
        self.events.append(turn.turn_id, event)

    def _response(self, turn: Turn) -> dict[str, Any]:
        """Return the turn's response for its last event, or only the ids and status if the response is too large."""
        response = compose_response(turn, self.calls.list(turn.turn_id))
        payload = response.model_dump(mode="json", exclude_none=True, exclude=_NOT_IN_EVENTS)
        if len(json.dumps(payload, ensure_ascii=False).encode()) <= MAX_EVENT_BYTES:
            return payload
        return response.model_dump(mode="json", include={"turn_id", "session_id", "status"})


def _error(step: TurnStep, ending: Ending) -> TurnError | None:
    if ending is Ending.CANCELLED:
        return TurnError(error_code="E_CANCELLED", message=_CANCELLED)
    if ending is Ending.TIMED_OUT:
        return TurnError(error_code="E_TURN_TIMEOUT", message=_TIMED_OUT)
    if step.failure is not None and (error := llm.find_model_error(step.failure.Error)):
        return TurnError(error_code=error.code, message=error.user_message)
    if step.failure is not None or ending is Ending.LOST:
        return TurnError(error_code="E_TURN_FAILED", message=_FAILED)
    return None


@dataclass(frozen=True)
class EndStuckTurn:
    """End a stuck turn: a turn that is open although its state machine execution does not run.

    Called when a client reads a turn, and when an open turn blocks a new turn in the same session.
    """

    turns: Turns
    workflow: Workflow
    finish: FinishTurn
    clock: Clock

    def __call__(self, turn: Turn) -> Turn:
        """End the turn if it is open, not new, and its execution is not running. Return the turn's current state."""
        if turn.has_ended or self._is_recent(turn.created_at) or self.workflow.is_running(turn.turn_id):
            return turn
        self._finish(turn)
        return self.turns.get(turn.session_id, turn.turn_id) or turn

    def publish_end(self, turn: Turn) -> None:
        """Write the ended turn's last event if it is still missing after the grace period. Idempotent."""
        if turn.ended_at is not None and not self._is_recent(turn.ended_at):
            self._finish(turn)

    def _finish(self, turn: Turn) -> None:
        self.finish(TurnStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id), Ending.LOST)

    def _is_recent(self, since: datetime) -> bool:
        return self.clock.now() - since < GRACE_PERIOD
