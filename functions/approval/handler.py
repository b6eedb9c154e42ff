"""State Approval: asks the owner of the turn; the API answers the waiting task with his word."""

from typing import Any

from satchel.bootstrap.approval import build
from satchel.bootstrap.logs import set_up_logs
from satchel.domain.steps import CallStep


def handler(event: dict[str, Any], context: object) -> None:
    """Ask about one call."""
    del context
    set_up_logs("approval")
    build()(CallStep.model_validate(event))
