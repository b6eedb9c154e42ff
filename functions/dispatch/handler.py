"""State Dispatch: may this call be made, and with what? The runner answers the waiting task."""

from typing import Any

from satchel.bootstrap.dispatch import build
from satchel.bootstrap.logs import set_up_logs
from satchel.domain.steps import CallStep


def handler(event: dict[str, Any], context: object) -> None:
    """Send one call on its way."""
    del context
    set_up_logs("dispatch")
    build()(CallStep.model_validate(event))
