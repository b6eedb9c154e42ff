"""Deletes the data of an ended session in the background."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # milliseconds that a deletion step may take; if less is left before the timeout, none starts


@observed("end_session")
def handler(event: dict[str, Any], context: Any) -> dict[str, bool]:  # noqa: ANN401  (a Lambda context)
    """Delete a session's data until the timeout is near. A sweep every 15 minutes deletes any remaining data."""
    session = use_cases().ports.sessions.get_ended(event["user"], event["session_id"])
    if session is None:
        return {"done": True}
    return {
        "done": use_cases().clean_up_session(session, lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS)
    }
