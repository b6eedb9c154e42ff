"""Ask the owner of a turn whether a call may be made (state Approval): nothing runs while the turn waits.

Take the owner's word on a call that waits for it, and let the turn go on.
"""

from dataclasses import dataclass
from datetime import timedelta

from satchel.contract import InvalidArguments
from satchel.domain import arguments as args
from satchel.domain.calls import Approval, Decision
from satchel.domain.errors import ApprovalClosed, CallNotFound
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.size_limits import plain
from satchel.domain.steps import CallStep
from satchel.domain.users import Identity
from satchel.ports.calls import Calls
from satchel.ports.system import Clock
from satchel.ports.turns import Approvals, Events, TaskCallback
from satchel.services.turns.read_turn import ReadTurn


@dataclass(frozen=True)
class AskApproval:
    """``timeout`` is how long the state waits; afterwards Dispatch finds no decision and refuses the call."""

    calls: Calls
    approvals: Approvals
    events: Events
    callback: TaskCallback
    clock: Clock
    timeout: timedelta

    def __call__(self, step: CallStep) -> None:
        """Write that the call waits, and tell. Raises LookupError when there is no such call."""
        call = self.calls.get(step.turn_id, step.call_id)
        if call is None or step.task_token is None:
            raise LookupError(f"no such call to approve: {step.call_id}")
        asked = Approval(
            call_id=call.call_id,
            turn_id=call.turn_id,
            task_token=step.task_token,
            expires_at=self.clock.now() + self.timeout,
        )
        stands = self.approvals.ask(asked)
        server, _, _ = call.tool.rpartition(".")
        payload = {
            "call_id": call.call_id,
            "tool": call.tool,
            "server": server,
            "arguments": plain(_shown(call.arguments)),
            "expires_at": stands.expires_at.isoformat(),
        }
        once = f"ask-{call.call_id}"
        self.events.append(call.turn_id, NewEvent(type="tool_approval_request", payload=payload, once=once))
        if stands.decision is not None:
            self.callback.done(step.task_token)


def _shown(text: str) -> object:
    """The person is shown what the model wrote, even where it is no JSON: an edit can mend it."""
    try:
        return args.parse(text)
    except InvalidArguments:
        return text


@dataclass(frozen=True)
class DecideApproval:
    """Said twice, it is the same; said otherwise afterwards, it is too late."""

    read_turn: ReadTurn
    approvals: Approvals
    events: Events
    callback: TaskCallback
    clock: Clock

    def __call__(
        self, who: Identity, session_id: SessionId, turn_id: TurnId, call_id: CallId, decision: Decision
    ) -> Decision:
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
