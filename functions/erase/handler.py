"""Deletes all data of a user in the background."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # milliseconds that a deletion step may take; if less is left before the timeout, none starts


@observed("erase")
def handler(event: dict[str, Any], context: Any) -> dict[str, bool]:  # noqa: ANN401  (a Lambda context)
    """Delete a user's data until the timeout is near. A sweep every 15 minutes deletes any remaining data."""
    return {
        "done": use_cases().erase_user(event["user"], lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS)
    }
