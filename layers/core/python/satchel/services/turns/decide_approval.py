"""Take the owner's word on a call that waits for it, and let the turn go on."""

from dataclasses import dataclass

from satchel.domain.approvals import Approval, Decision
from satchel.domain.errors import ApprovalClosed, CallNotFound
from satchel.domain.events import NewEvent
from satchel.domain.identity import Identity
from satchel.ports.approvals import Approvals
from satchel.ports.clock import Clock
from satchel.ports.events import Events
from satchel.ports.workflow import TaskCallback
from satchel.services.turns.read_turn import ReadTurn


@dataclass(frozen=True)
class DecideApproval:
    """Said twice, it is the same; said otherwise afterwards, it is too late."""

    read_turn: ReadTurn
    approvals: Approvals
    events: Events
    callback: TaskCallback
    clock: Clock

    def __call__(self, who: Identity, session_id: str, turn_id: str, call_id: str, decision: Decision) -> Decision:
        """Write the decision and return it.

        Raises SessionNotFound, TurnNotFound, CallNotFound (nobody was asked), ApprovalClosed (decided otherwise,
        expired, or the turn has ended).
        """
        turn = self.read_turn.find(who, session_id, turn_id)
        asked = self.approvals.get(turn.turn_id, call_id)
        if asked is None:
            raise CallNotFound(call_id)
        if asked.decision is None and (turn.ended or self.clock.now() >= asked.expires_at):
            raise ApprovalClosed("Nobody waits for this decision any more.", call_id=call_id)
        stands = self.approvals.decide(turn.turn_id, call_id, decision)
        if stands is None or stands.decision != decision:
            raise ApprovalClosed("It was decided otherwise before.", call_id=call_id)
        self._tell(stands, decision)
        return decision

    def _tell(self, approval: Approval, decision: Decision) -> None:
        """Tell first: the tool's own events come after its approval."""
        payload = {
            "call_id": approval.call_id,
            "approved": decision.approved,
            "edited": decision.arguments is not None,
            "reason": decision.reason,
        }
        once = f"decided-{approval.call_id}"
        self.events.append(approval.turn_id, NewEvent(type="tool_approval", payload=payload, once=once))
        self.callback.done(approval.task_token)
