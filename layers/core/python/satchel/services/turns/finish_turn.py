"""End turns, each exactly once and with exactly one last event (function finish).

Normally Think ends the turn together with the model's answer. The workflow's state Finish ends turns without an answer,
and those that Think could not end. If the workflow stops earlier, an EventBridge rule ends the turn. ``EndStuckTurn``
handles the remaining case: the workflow never started, or its end was not noticed.
"""

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from satchel.domain import llm
from satchel.domain.audit import unfinished_call_entry
from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.metrics import TURN_DURATION, TURNS
from satchel.domain.response_composition import compose_response
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.size_limits import MAX_EVENT_BYTES
from satchel.domain.steps import FIRST_ROUND_LIMIT, MAX_CORRECTIONS, TurnStep
from satchel.ports.calls import Calls, ReportedEvents
from satchel.ports.quotas import QuotaCounts
from satchel.ports.steps import Steps
from satchel.ports.system import Clock, Metrics
from satchel.ports.turns import Events, Turns, Workflow
from satchel.services.calls.audit import RecordAudit, count_interrupted_call
from satchel.services.side_by_side import side_by_side

logger = logging.getLogger(__name__)

GRACE_PERIOD = timedelta(seconds=15)
"""A turn counts as stuck if its first round does not start within this time."""

_MAX_TRIES = 10
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
_NOT_IN_EVENTS: dict[str, object] = {"arguments": None, "results": None, "meta_data": None}
"""Fields of tool calls that are null in the last event, because earlier events have their values."""


class Ending(StrEnum):
    """The reason why a turn ends. ``LOST``: the turn's execution is missing, or stopped before it ended the turn."""

    NORMAL = "normal"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    LOST = "lost"


@dataclass(frozen=True)
class FinishTurn:
    """End a turn. The first end decides the status; later calls do not change it."""

    turns: Turns
    steps: Steps
    calls: Calls
    events: Events
    reported: ReportedEvents
    clock: Clock
    audit: RecordAudit
    metrics: Metrics
    quota_counts: QuotaCounts

    def __call__(self, step: TurnStep, ending: Ending = Ending.NORMAL) -> TurnStatus | None:
        """End the turn, publish its last event and return its status. Return None if the turn no longer exists.

        The erasure of a user's data deletes turns that run or were just cancelled, so a missing turn is not an error.
        """
        (turn, reply), calls, _ = side_by_side(
            lambda: self.steps.read_end(step),
            lambda: self.calls.list(step.turn_id),
            lambda: self.events.read_last_number(step.turn_id),
        )
        for _ in range(_MAX_TRIES):
            if turn is None or turn.has_ended:
                break
            ended = self._ended(turn, step, ending, reply, calls)
            if self.turns.end(ended, last_event(ended, calls), count_tool_use(calls)):
                count_turn(self.metrics, ended)
                turn = ended
            else:
                turn = self.turns.get(step.session_id, step.turn_id)
        if turn is None:
            logger.info("the turn to end is deleted", extra={"turn_id": step.turn_id})
            return None
        if not turn.has_ended:
            raise Unavailable("Other writers are changing the turn; try again.")
        self._stop_interrupted_calls(turn)
        return turn.status

    def _ended(
        self, turn: Turn, step: TurnStep, ending: Ending, reply: AssistantMessage | None, calls: Sequence[Call]
    ) -> Turn:
        if step.failure:
            logger.error("turn failed", extra={"turn_id": turn.turn_id, "cause": step.failure.model_dump()})
        answer = reply if reply and not reply.calls else None
        error = _error(step, ending) or (None if answer or turn.is_from_app else _no_answer_error(step, calls))
        status = TurnStatus.COMPLETE
        if error:
            status = TurnStatus.CANCELLED if ending is Ending.CANCELLED else TurnStatus.FAILED
        text = answer.text if answer else ""
        return turn.model_copy(update={"status": status, "answer": text, "error": error, "ended_at": self.clock.now()})

    def _stop_interrupted_calls(self, turn: Turn) -> None:
        """If the turn failed, stop its calls without a result. Write audit entries: their tools may have run."""
        if turn.error is None:
            return
        interrupted = [call for call in self.calls.list(turn.turn_id) if call.result is None]
        for call in interrupted:
            self.reported.stop(call.call_id)
        if interrupted:
            self.quota_counts.end_calls(turn.user, [call.call_id for call in interrupted])
        for call in interrupted:
            if self.audit(unfinished_call_entry(call, turn.error.error_code, self.clock.now())):
                count_interrupted_call(self.metrics, call, turn.error.error_code)


def count_turn(metrics: Metrics, turn: Turn) -> None:
    """Count an ended turn and its duration."""
    if turn.is_from_app:
        return
    duration = (turn.ended_at or turn.created_at) - turn.created_at
    metrics.add(TURNS, 1, turn.status)
    metrics.add(TURN_DURATION, duration / timedelta(milliseconds=1))


def count_tool_use(calls: Sequence[Call]) -> Mapping[str, int]:
    """Return how many of the calls were sent to each tool."""
    return Counter(call.tool for call in calls if call.injected is not None)


def last_event(turn: Turn, calls: Sequence[Call]) -> NewEvent:
    """Return the turn's last event: ``response_complete`` if it has an answer, otherwise ``turn_failed``."""
    if turn.error is None:
        return NewEvent(type="response_complete", payload={"response": _response(turn, calls)})
    payload: dict[str, Any] = {"status": turn.status, "error": turn.error.model_dump()}
    return NewEvent(type="turn_failed", payload=payload)


def _response(turn: Turn, calls: Sequence[Call]) -> dict[str, Any] | None:
    """Return the turn's response for its last event, or None if the response is too large for an event."""
    response = compose_response(turn, calls)
    tool_calls = [call.model_copy(update=_NOT_IN_EVENTS) for call in response.tool_calls]
    small = response.model_copy(update={"tool_calls": tool_calls})
    payload = small.model_dump(mode="json")
    return payload if len(json.dumps(payload, ensure_ascii=False).encode()) <= MAX_EVENT_BYTES else None


def _no_answer_error(step: TurnStep, calls: Sequence[Call]) -> TurnError:
    """Return the error for a turn that has no answer: too many invalid tool calls, or too many rounds."""
    mistaken_rounds = {call.round for call in calls if call.is_mistaken}
    if len(mistaken_rounds) > MAX_CORRECTIONS:
        message = _TOO_MANY_MISTAKES.format(times=len(mistaken_rounds))
        return TurnError(error_code="E_TOO_MANY_MISTAKES", message=message)
    return TurnError(error_code="E_TOO_MANY_ROUNDS", message=_TOO_MANY_ROUNDS.format(rounds=step.round - 1))


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
    """End a stuck turn: a turn that is open although neither its first round nor its execution runs.

    Called when a client reads a turn, when an open turn blocks a new turn in the same session, and by the sweep.
    """

    turns: Turns
    workflow: Workflow
    finish: FinishTurn
    clock: Clock

    def __call__(self, turn: Turn) -> Turn:
        """End the turn if it is open, not new, and nothing runs it. Return the turn's current state."""
        if turn.has_ended or self._is_recent(turn.created_at) or self._is_running(turn):
            return turn
        self.finish(TurnStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id), Ending.LOST)
        return self.turns.get(turn.session_id, turn.turn_id) or turn

    def _is_running(self, turn: Turn) -> bool:
        """Return True if the execution of the turn runs. Before it has one, its first round may run."""
        running = self.workflow.is_running(turn.turn_id)
        if running is not None or turn.seen_at is None:
            return bool(running)
        return self.clock.now() - turn.created_at < FIRST_ROUND_LIMIT

    def _is_recent(self, since: datetime) -> bool:
        return self.clock.now() - since < GRACE_PERIOD
