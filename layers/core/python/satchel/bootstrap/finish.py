"""What the finish function is made of."""

from functools import lru_cache

from satchel.bootstrap.metrics import metrics
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.calls.keep_audit import KeepAudit
from satchel.services.turns.finish_turn import FinishTurn


@lru_cache
def build() -> FinishTurn:
    """Return the use case, wired."""
    kept = storage()
    return FinishTurn(
        turns=kept.turns,
        calls=kept.calls,
        transcript=kept.transcript,
        events=kept.events,
        clock=CLOCK,
        audit=KeepAudit(kept.audit),
        metrics=metrics(),
    )
