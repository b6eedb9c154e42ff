"""Deletes all data of a user in the background."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed

_SPARE_MILLIS = 20_000  # no new step starts with less time left, because one takes up to this long


@observed("erase")
def handler(event: dict[str, Any], context: Any) -> dict[str, bool]:  # noqa: ANN401  (a Lambda context)
    """Delete one user's data until this invocation's time runs out. The sweep later deletes the rest."""
    return {
        "done": use_cases().erase_user(event["user"], lambda: context.get_remaining_time_in_millis() > _SPARE_MILLIS)
    }
