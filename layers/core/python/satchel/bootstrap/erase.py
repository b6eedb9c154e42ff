"""What the erase function is made of."""

from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.stepfunctions import TurnExecutions
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.files.upload_parts import AbortUpload
from satchel.services.sessions.erase_user import EraseUser
from satchel.settings import WorkflowSettings


@lru_cache
def build() -> EraseUser:
    """Return the use case, wired."""
    kept = storage()
    return EraseUser(
        erasures=kept.erasures,
        remains=kept.user_remains,
        sessions=kept.sessions,
        uploads=kept.uploads,
        abort=AbortUpload(kept.uploads, kept.parts, kept.store),
        store=kept.store,
        workflow=TurnExecutions(clients.stepfunctions(), WorkflowSettings().state_machine),
        clock=CLOCK,
    )
