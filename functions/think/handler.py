"""Step Functions state Think: sends one request to the language model."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import TurnStep


@observed("think")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Call the model for a turn. Return the tool calls to run, or ``done`` if the model gave its final answer."""
    del context
    step = use_cases().think(TurnStep.model_validate(event))
    return step.model_dump(mode="json", exclude_none=True)
