"""The sweep: every 15 minutes, deletes expired data, ends idle sessions and completes interrupted deletions."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # milliseconds that a deletion step may take; if less is left before the timeout, none starts


@observed("expire")
def handler(event: object, context: Any) -> dict[str, int]:  # noqa: ANN401  (a Lambda context)
    """Delete expired data and end idle sessions until the timeout is near. Return the number of items per kind."""
    del event
    return use_cases().sweep(lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS).model_dump()
