"""Ask the owner of a turn whether a call may be made (state Approval): nothing runs while the turn waits."""

from dataclasses import dataclass
from datetime import timedelta

from satchel.contract import InvalidArguments
from satchel.domain import arguments as args
from satchel.domain.approvals import Approval
from satchel.domain.bounds import plain
from satchel.domain.events import NewEvent
from satchel.domain.steps import CallStep
from satchel.ports.approvals import Approvals
from satchel.ports.catalog import Calls
from satchel.ports.clock import Clock
from satchel.ports.events import Events
from satchel.ports.workflow import TaskCallback


@dataclass(frozen=True)
class AskApproval:
    """``patience`` is how long the state waits; afterwards Dispatch finds no decision and refuses the call."""

    calls: Calls
    approvals: Approvals
    events: Events
    callback: TaskCallback
    clock: Clock
    patience: timedelta

    def __call__(self, step: CallStep) -> None:
        """Write that the call waits, and tell. Raises LookupError when there is no such call."""
        call = self.calls.get(step.turn_id, step.call_id)
        if call is None or step.task_token is None:
            raise LookupError(f"no such call to approve: {step.call_id}")
        asked = Approval(
            call_id=call.call_id,
            turn_id=call.turn_id,
            task_token=step.task_token,
            expires_at=self.clock.now() + self.patience,
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
