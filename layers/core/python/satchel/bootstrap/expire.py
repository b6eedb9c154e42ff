"""What the expire function is made of."""

from datetime import timedelta
from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.lambda_clearing import LambdaErasing
from satchel.bootstrap.clearing import clear_session, remove_files
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.files.sweep import Sweep
from satchel.services.files.upload_parts import AbortUpload, SweepUploads
from satchel.services.sessions.erase_user import SweepErasures
from satchel.settings import ErasingSettings, SessionSettings


@lru_cache
def build() -> Sweep:
    """Return the use case, wired."""
    kept = storage()
    erasing = LambdaErasing(clients.lambda_(), ErasingSettings().erase_function)
    return Sweep(
        going=kept.going,
        sessions=kept.sessions,
        remove=remove_files(),
        uploads=SweepUploads(kept.uploads, AbortUpload(kept.uploads, kept.parts, kept.store), CLOCK),
        erasures=SweepErasures(kept.erasures, erasing, CLOCK),
        clear=clear_session(),
        clock=CLOCK,
        idle=timedelta(hours=SessionSettings().session_idle_hours),
    )
