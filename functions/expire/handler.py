"""The sweep, every 15 minutes: deletes expired data, ends idle sessions, completes interrupted deletions."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # maximum duration of one more step


@observed("expire")
def handler(event: object, context: Any) -> dict[str, int]:  # noqa: ANN401  (a Lambda context)
    """Sweep until the time runs out, and return the counts."""
    del event
    return use_cases().sweep(lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS).model_dump()
