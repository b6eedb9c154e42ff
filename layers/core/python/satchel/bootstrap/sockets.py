"""What the sockets function is made of."""

import os
from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.stepfunctions import TurnExecutions
from satchel.bootstrap.metrics import metrics
from satchel.bootstrap.storage import CLOCK, storage
from satchel.entrypoints.sockets import Sockets
from satchel.services.calls.keep_audit import KeepAudit
from satchel.services.connections.open_connection import ForgetConnection, OpenConnection
from satchel.services.connections.subscribe import Subscribe, Unsubscribe
from satchel.services.turns.finish_turn import FinishTurn
from satchel.services.turns.settle_turn import SettleTurn
from satchel.settings import OriginSettings, WorkflowSettings


@lru_cache
def build() -> Sockets:
    """Return the routes, wired."""
    kept = storage()
    workflow = TurnExecutions(clients.stepfunctions(), WorkflowSettings().state_machine)
    audit = KeepAudit(kept.audit)
    finish = FinishTurn(kept.turns, kept.calls, kept.transcript, kept.events, CLOCK, audit, metrics())
    settle = SettleTurn(kept.turns, workflow, finish, CLOCK)
    return Sockets(
        connect=OpenConnection(kept.tickets, kept.connections, CLOCK, OriginSettings().web_origins),
        forget=ForgetConnection(kept.connections),
        subscribe=Subscribe(kept.connections, kept.sessions, kept.turns, kept.subscriptions, settle, CLOCK, os.urandom),
        unsubscribe=Unsubscribe(kept.subscriptions),
    )
