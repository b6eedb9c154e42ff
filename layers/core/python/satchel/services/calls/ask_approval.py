"""Ask the user to approve a tool call. No Lambda function runs during the wait (state Dispatch)."""

from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.calls import Approval, Call
from satchel.domain.events import NewEvent
from satchel.domain.steps import APPROVAL_DECIDED
from satchel.domain.timestamps import format_time
from satchel.ports.system import Clock
from satchel.ports.turns import Approvals, Events, TaskCallback


@dataclass(frozen=True)
class AskApproval:
    """Ask the user to approve a tool call. Without a decision within ``timeout``, the call is rejected."""

    approvals: Approvals
    events: Events
    callback: TaskCallback
    clock: Clock
    timeout: timedelta

    def __call__(self, call: Call, task_token: str) -> None:
        """Store and publish the approval request. If the user has already decided, resume the call immediately."""
        expires_at = self.clock.now() + self.timeout
        stored = self.approvals.request(
            Approval(call_id=call.call_id, turn_id=call.turn_id, task_token=task_token, expires_at=expires_at)
        )
        payload = {
            "call_id": call.call_id,
            "tool": call.tool,
            "server": call.tool.rpartition(".")[0],
            "expires_at": format_time(stored.expires_at),
        }
        once = f"ask-{call.call_id}"
        self.events.append(call.turn_id, NewEvent(type="tool_approval_request", payload=payload, dedupe_key=once))
        if stored.decision is not None:
            self.callback.fail(task_token, APPROVAL_DECIDED)
