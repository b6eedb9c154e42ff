"""What the approval function is made of."""

from datetime import timedelta
from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.stepfunctions import WaitingTasks
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.turns.ask_approval import AskApproval
from satchel.settings import ApprovalSettings


@lru_cache
def build() -> AskApproval:
    """Return the use case, wired."""
    kept = storage()
    return AskApproval(
        calls=kept.calls,
        approvals=kept.approvals,
        events=kept.events,
        callback=WaitingTasks(clients.stepfunctions()),
        clock=CLOCK,
        patience=timedelta(seconds=ApprovalSettings().approval_seconds),
    )
