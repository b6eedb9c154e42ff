"""What the normalize function is made of."""

from functools import lru_cache

from satchel.bootstrap.metrics import metrics
from satchel.bootstrap.servers import registry
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.calls.keep_audit import KeepAudit
from satchel.services.calls.normalize_outcome import NormalizeOutcome
from satchel.services.tools.doubt_tools import DoubtTools
from satchel.settings import CanvasSettings


@lru_cache
def build() -> NormalizeOutcome:
    """Return the use case, wired."""
    kept = storage()
    return NormalizeOutcome(
        calls=kept.calls,
        files=kept.files,
        transcript=kept.transcript,
        events=kept.events,
        store=kept.store,
        clock=CLOCK,
        dashboards=kept.dashboards,
        audit=KeepAudit(kept.audit),
        doubt_tools=DoubtTools(registry(), kept.tool_lists),
        metrics=metrics(),
        canvas_origins=CanvasSettings().canvas_origins,
    )
