"""State Approval: asks the owner of the turn; the API answers the waiting task with his word."""

from typing import Any

from satchel.bootstrap.approval import build
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("approval")
def handler(event: dict[str, Any], context: object) -> None:
    """Ask about one call."""
    del context
    build()(CallStep.model_validate(event))
