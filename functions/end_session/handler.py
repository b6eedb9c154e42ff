"""Clears a session that has ended: what it leaves behind is deleted, in the background."""

from typing import Any

from satchel.bootstrap.end_session import build, find
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # what one more step takes at most


@observed("end_session")
def handler(event: dict[str, Any], context: Any) -> dict[str, bool]:  # noqa: ANN401  (a Lambda context)
    """Clear one session, as far as the time goes; the sweep finishes what is left."""
    session = find(event["user"], event["session_id"])
    if session is None:
        return {"done": True}
    return {"done": build()(session, lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS)}
