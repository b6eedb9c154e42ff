"""State Dispatch: may this call be made, and with what? The runner answers the waiting task."""

from typing import Any

from satchel.bootstrap.dispatch import build
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("dispatch")
def handler(event: dict[str, Any], context: object) -> None:
    """Send one call on its way."""
    del context
    build()(CallStep.model_validate(event))
