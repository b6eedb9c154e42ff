"""State Think: one round of the model."""

from typing import Any

from satchel.bootstrap.logs import set_up_logs
from satchel.bootstrap.think import build
from satchel.domain.steps import TurnStep


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Take a turn's step, answer with the calls to make."""
    del context
    set_up_logs("think")
    step = build()(TurnStep.model_validate(event))
    return step.model_dump(mode="json", exclude_none=True)
