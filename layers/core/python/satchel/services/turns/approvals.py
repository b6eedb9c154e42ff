"""Read and record the user's approval of a tool call, for which the state Dispatch waits (``AskApproval``)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from satchel.domain import arguments as args
from satchel.domain.calls import Approval, Decision
from satchel.domain.errors import ApprovalClosed, ApprovalMismatch, CallNotFound
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.size_limits import strip_and_truncate
from satchel.domain.steps import APPROVAL_DECIDED
from satchel.domain.users import Identity
from satchel.ports.calls import Calls
from satchel.ports.system import Clock
from satchel.ports.turns import Approvals, Events, TaskCallback
from satchel.services.turns.read_turn import ReadTurn


class ApprovalRequest(BaseModel):
    """A tool call that needs or needed the user's approval, as its record has it.

    To approve the call, send its ``digest``. The digest covers the complete arguments; the texts in ``arguments`` are
    cut to 2,000 characters. ``arguments`` is the model's text if it is not a JSON object.
    """

    call_id: CallId
    tool: str
    server: str
    arguments: Any
    digest: str
    expires_at: datetime
    decision: Decision | None


@dataclass(frozen=True)
class ReadApproval:
    """Read what an approval would allow, from the record of the call, which no runner can write."""

    read_turn: ReadTurn
    calls: Calls
    approvals: Approvals

    def __call__(self, who: Identity, session_id: SessionId, turn_id: TurnId, call_id: CallId) -> ApprovalRequest:
        """Return the request. Raise SessionNotFound, TurnNotFound or CallNotFound."""
        turn = self.read_turn.find(who, session_id, turn_id)
        call = self.calls.get(turn.turn_id, call_id)
        approval = self.approvals.get(turn.turn_id, call_id)
        if call is None or approval is None:
            raise CallNotFound(call_id)
        return ApprovalRequest(
            call_id=call.call_id,
            tool=call.tool,
            server=call.tool.rpartition(".")[0],
            arguments=strip_and_truncate(args.parse_or_text(call.arguments)),
            digest=call.digest,
            expires_at=approval.expires_at,
            decision=approval.decision,
        )


@dataclass(frozen=True)
class DecideApproval:
    """Store the user's decision on a tool call and resume the turn. The first decision is final."""

    read_turn: ReadTurn
    calls: Calls
    approvals: Approvals
    events: Events
    callback: TaskCallback
    clock: Clock

    def __call__(
        self, who: Identity, session_id: SessionId, turn_id: TurnId, call_id: CallId, decision: Decision
    ) -> Decision:
        """Store the decision and return it. Sending the same decision again succeeds.

        Raise SessionNotFound, TurnNotFound, CallNotFound, ApprovalClosed (decided otherwise, expired or turn ended), or
        ApprovalMismatch (an approval without the digest of the call).
        """
        turn = self.read_turn.find(who, session_id, turn_id)
        approval = self.approvals.get(turn.turn_id, call_id)
        if approval is None:
            raise CallNotFound(call_id)
        if approval.decision is None and (turn.has_ended or self.clock.now() >= approval.expires_at):
            raise ApprovalClosed("The call no longer waits for a decision.", call_id=call_id)
        if decision.approved:
            call = self.calls.get(turn.turn_id, call_id)
            if call is None or decision.digest != call.digest:
                raise ApprovalMismatch(call_id)
        stored = self.approvals.decide(turn.turn_id, call_id, decision)
        if stored is None or stored.decision != decision:
            raise ApprovalClosed("The call already has another decision.", call_id=call_id)
        self._publish_and_resume(stored, decision)
        return decision

    def _publish_and_resume(self, approval: Approval, decision: Decision) -> None:
        # Publish before resuming the turn, so that the approval precedes the tool's events.
        payload = {
            "call_id": approval.call_id,
            "approved": decision.approved,
            "edited": decision.arguments is not None,
            "reason": decision.reason,
        }
        once = f"decided-{approval.call_id}"
        self.events.append(approval.turn_id, NewEvent(type="tool_approval", payload=payload, dedupe_key=once))
        self.callback.fail(approval.task_token, APPROVAL_DECIDED)
