"""Bring to its end a turn that nobody else will: so that no turn stays open, and no session locked.

Normally Finish ends a turn, and a rule on the execution's status what ended past it. This is for what slips through:
an execution that was never started, an end whose last event could not be written.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from satchel.domain.sessions import Turn
from satchel.domain.steps import TurnStep
from satchel.ports.catalog import Turns
from satchel.ports.clock import Clock
from satchel.ports.workflow import Workflow
from satchel.services.turns.finish_turn import Ending, FinishTurn

PATIENCE = timedelta(seconds=15)
"""How long the normal ways have: an execution to start, a last event to follow the end."""


@dataclass(frozen=True)
class SettleTurn:
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

    def tell_end(self, turn: Turn) -> None:
        """Write the last event of a turn that ended a while ago without one."""
        if turn.ended_at is not None and not self._young(turn.ended_at):
            self._finish(turn, Ending.LOST)

    def _finish(self, turn: Turn, ending: Ending) -> None:
        self.finish(TurnStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id), ending)

    def _young(self, since: datetime) -> bool:
        return self.clock.now() - since < PATIENCE
