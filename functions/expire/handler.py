"""The sweep: every 15 minutes, deletes expired data, ends idle sessions and completes interrupted deletions."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # no new step starts with less time left, because one takes up to this long


@observed("expire")
def handler(event: object, context: Any) -> dict[str, int]:  # noqa: ANN401  (a Lambda context)
    """Sweep until this invocation's time runs out. Return how many items were deleted or ended, by kind."""
    del event
    return use_cases().sweep(lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS).model_dump()
