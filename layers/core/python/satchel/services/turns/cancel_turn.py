"""Cancel a running turn: its execution ends, and the runner learns of it with its next beat."""

from dataclasses import dataclass

from satchel.domain.identity import Identity
from satchel.domain.sessions import TurnStatus
from satchel.domain.steps import TurnStep
from satchel.ports.workflow import Workflow
from satchel.services.turns.finish_turn import Ending, FinishTurn
from satchel.services.turns.read_turn import ReadTurn


@dataclass(frozen=True)
class CancelTurn:
    """Safe to repeat; a turn that has ended stays as it ended."""

    read: ReadTurn
    workflow: Workflow
    finish: FinishTurn

    def __call__(self, who: Identity, session_id: str, turn_id: str) -> TurnStatus:
        """Return how the turn ended. Raises SessionNotFound, TurnNotFound."""
        turn = self.read.find(who, session_id, turn_id)
        # The end is written first: what the stop sets in motion then finds the turn ended, as cancelled.
        step = TurnStep(user=turn.user, session_id=session_id, turn_id=turn_id)
        status = turn.status if turn.ended else self.finish(step, Ending.CANCELLED)
        if status is TurnStatus.CANCELLED:
            self.workflow.stop(turn_id, "cancelled by the user")
        return status
