"""Step Functions state Think: sends one request to the language model."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import TurnStep


@observed("think")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Call the model for a turn. Return the tool calls to run, or ``done`` if the model gave its final answer."""
    del context
    step = TurnStep.model_validate(event)
    with use_cases().think_events.following(step.turn_id) as push:
        next_step = use_cases().think(step)
        if next_step.ended:
            push()
    return next_step.model_dump(mode="json", exclude_none=True)
