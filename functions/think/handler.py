"""State Think: one round of the model."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.think import build
from satchel.domain.steps import TurnStep


@observed("think")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Take a turn's step, answer with the calls to make."""
    del context
    step = build()(TurnStep.model_validate(event))
    return step.model_dump(mode="json", exclude_none=True)
