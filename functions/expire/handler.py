"""The sweep, every 15 minutes: deletes what has expired, ends what is idle, finishes what was left."""

from typing import Any

from satchel.bootstrap.expire import build
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # what one more step takes at most


@observed("expire")
def handler(event: object, context: Any) -> dict[str, int]:  # noqa: ANN401  (a Lambda context)
    """Sweep as far as the time goes."""
    del event
    return build()(lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS).model_dump()
