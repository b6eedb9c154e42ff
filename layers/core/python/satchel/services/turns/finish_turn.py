"""End a turn, once, whatever brought it to its end (function finish).

Bring to its end a turn that nobody else will: so that no turn stays open, and no session locked.

Normally Finish ends a turn, and a rule on the execution's status what ended past it. This is for what slips through:
an execution that was never started, an end whose last event could not be written.
"""

import json
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from satchel.domain import llm
from satchel.domain.audit import cut_off_entry
from satchel.domain.conversation import AssistantMessage
from satchel.domain.events import NewEvent
from satchel.domain.metrics import TURN_DURATION, TURNS
from satchel.domain.response_composition import compose
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.size_limits import MAX_EVENT_BYTES
from satchel.domain.steps import MAX_MENDS, TurnStep
from satchel.ports.calls import Calls
from satchel.ports.system import Clock, Metrics
from satchel.ports.turns import Events, Transcript, Turns, Workflow
from satchel.services.calls.audit import RecordAudit, count_cut_off

logger = logging.getLogger(__name__)

_TOO_MANY_ROUNDS = (
    "The model asked for tools in {rounds} rounds without coming to an answer; no turn goes further than that. What "
    "the tools had finished is kept: write on to let it continue."
)
_TOO_MANY_MISTAKES = (
    "The model called tools wrongly {times} times, was told each time what was wrong, and came to no answer. Please "
    "say it in another way, or choose another model."
)
_FAILED = "Something went wrong while the answer was made. What the tools had finished is kept; please try again."
_TIMED_OUT = "The turn took longer than a turn may take and was ended."
_CANCELLED = "The turn was cancelled."
_NOT_IN_EVENTS: dict[str, Any] = {
    "artifacts": {"__all__": {"content"}},
    "tool_calls": {"__all__": {"arguments", "results", "meta_data"}},
}


class Ending(StrEnum):
    """What brought a turn to its end."""

    REACHED = "reached"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    LOST = "lost"


@dataclass(frozen=True)
class FinishTurn:
    """The only writer of a turn's end. The first end stands; all later ones are silent."""

    turns: Turns
    calls: Calls
    transcript: Transcript
    events: Events
    clock: Clock
    audit: RecordAudit
    metrics: Metrics

    def __call__(self, step: TurnStep, ending: Ending = Ending.REACHED) -> TurnStatus:
        """End the turn and write its last event; return how it ended, now or before. Raises LookupError."""
        turn = self.turns.get(step.session_id, step.turn_id)
        if turn is None:
            raise LookupError(f"no such turn to finish: {step.turn_id}")
        if not turn.ended:
            ended = self._ended(turn, step, ending)
            if self.turns.end(ended):
                self._count(ended)
            turn = self.turns.get(step.session_id, step.turn_id) or turn
        self._tell(turn)
        self._note_cut_off(turn)
        return turn.status

    def _ended(self, turn: Turn, step: TurnStep, ending: Ending) -> Turn:
        if step.failure:
            logger.error("turn failed", extra={"turn_id": turn.turn_id, "cause": step.failure.model_dump()})
        last = self._last_word(turn, step)
        error = _why(step, ending) or (None if last else self._no_last_word(turn, step))
        status = TurnStatus.COMPLETE
        if error:
            status = TurnStatus.CANCELLED if ending is Ending.CANCELLED else TurnStatus.FAILED
        answer = last.text if last else ""
        return turn.model_copy(
            update={"status": status, "answer": answer, "error": error, "ended_at": self.clock.now()},
        )

    def _no_last_word(self, turn: Turn, step: TurnStep) -> TurnError:
        """The model was asked for its last word and had none."""
        wrong = {call.round for call in self.calls.list(turn.turn_id) if call.is_mistaken}
        if len(wrong) > MAX_MENDS:
            said = _TOO_MANY_MISTAKES.format(times=len(wrong))
            return TurnError(error_code="E_TOO_MANY_MISTAKES", message=said)
        return TurnError(error_code="E_TOO_MANY_ROUNDS", message=_TOO_MANY_ROUNDS.format(rounds=step.round - 1))

    def _last_word(self, turn: Turn, step: TurnStep) -> AssistantMessage | None:
        """The model's answer without further calls, if it came to that."""
        if step.round == 0:
            return None
        reply = self.transcript.stored_reply(turn.session_id, turn.turn_id, step.round - 1)
        return reply if reply and not reply.calls else None

    def _count(self, turn: Turn) -> None:
        lasted = (turn.ended_at or turn.created_at) - turn.created_at
        self.metrics.add(TURNS, 1, turn.status)
        self.metrics.add(TURN_DURATION, lasted / timedelta(milliseconds=1), turn.status)

    def _note_cut_off(self, turn: Turn) -> None:
        """Write down the calls that will come to nothing any more: their tools may have run."""
        if turn.error is not None:
            for call in self.calls.list(turn.turn_id):
                if call.result is None and self.audit(cut_off_entry(call, turn.error.error_code, self.clock.now())):
                    count_cut_off(self.metrics, call, turn.error.error_code)

    def _tell(self, turn: Turn) -> None:
        """One last event for every turn: ``response_complete`` for an answer, ``turn_failed`` for anything else."""
        if turn.error is None:
            event = NewEvent(type="response_complete", payload={"response": self._response(turn)}, once="end")
        else:
            payload: dict[str, Any] = {"status": turn.status, "error": turn.error.model_dump()}
            event = NewEvent(type="turn_failed", payload=payload, once="end")
        self.events.append(turn.turn_id, event)

    def _response(self, turn: Turn) -> dict[str, Any]:
        """Return the response as an event may hold it; of one that is too large, what it takes to go and read it."""
        response = compose(turn, self.calls.list(turn.turn_id))
        said = response.model_dump(mode="json", exclude_none=True, exclude=_NOT_IN_EVENTS)
        if len(json.dumps(said, ensure_ascii=False).encode()) <= MAX_EVENT_BYTES:
            return said
        return response.model_dump(mode="json", include={"turn_id", "session_id", "status"})


def _why(step: TurnStep, ending: Ending) -> TurnError | None:
    if ending is Ending.CANCELLED:
        return TurnError(error_code="E_CANCELLED", message=_CANCELLED)
    if ending is Ending.TIMED_OUT:
        return TurnError(error_code="E_TURN_TIMEOUT", message=_TIMED_OUT)
    if step.failure is not None and (error := llm.named(step.failure.Error)):
        return TurnError(error_code=error.code, message=error.sentence)
    if step.failure is not None or ending is Ending.LOST:
        return TurnError(error_code="E_TURN_FAILED", message=_FAILED)
    return None


GRACE_PERIOD = timedelta(seconds=15)
"""How long the normal ways have: an execution to start, a last event to follow the end."""


@dataclass(frozen=True)
class EndStuckTurn:
    """Called by readers of a turn, and by who finds a session locked by one."""

    turns: Turns
    workflow: Workflow
    finish: FinishTurn
    clock: Clock

    def __call__(self, turn: Turn) -> Turn:
        """End the turn if its execution is gone, and return it as it is then."""
        if turn.ended or self._young(turn.created_at) or self.workflow.is_running(turn.turn_id):
            return turn
        self._finish(turn, Ending.LOST)
        return self.turns.get(turn.session_id, turn.turn_id) or turn

    def publish_end(self, turn: Turn) -> None:
        """Write the last event of a turn that ended a while ago without one."""
        if turn.ended_at is not None and not self._young(turn.ended_at):
            self._finish(turn, Ending.LOST)

    def _finish(self, turn: Turn, ending: Ending) -> None:
        self.finish(TurnStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id), ending)

    def _young(self, since: datetime) -> bool:
        return self.clock.now() - since < GRACE_PERIOD
