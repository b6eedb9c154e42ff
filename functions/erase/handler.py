"""Deletes everything of a person, in the background; what there is no time for is left to the sweep."""

from typing import Any

from satchel.bootstrap.erase import build
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # what one more step takes at most


@observed("erase")
def handler(event: dict[str, Any], context: Any) -> dict[str, bool]:  # noqa: ANN401  (a Lambda context)
    """Erase one person, as far as the time goes."""
    return {"done": build()(event["user"], lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS)}
