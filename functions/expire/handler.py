"""The sweep: deletes expired data, ends stuck turns and idle sessions, and completes interrupted deletions.

A schedule invokes it every 15 minutes.
"""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # milliseconds that a deletion step may take; if less is left before the timeout, none starts


@observed("expire")
def handler(event: object, context: Any) -> dict[str, int]:  # noqa: ANN401  (a Lambda context)
    """Sweep until the timeout is near. Return the number of items per kind."""
    del event
    return use_cases().sweep(lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS).model_dump()
