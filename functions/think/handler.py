"""Sends one request to the language model: the first round of a turn, and the state Think of Step Functions."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import TurnStep


@observed("think")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Call the model for a turn. Return the tool calls to run, or ``done`` if the model gave its final answer.

    The first round runs before the turn has an execution: then this function also ends the turn or starts one.
    """
    del context
    step = TurnStep.model_validate(event)
    with use_cases().think_events.following(step.turn_id) as push:
        next_step = (use_cases().think if step.has_execution else use_cases().run_first_round)(step)
        if next_step.ended:
            push()
    return next_step.model_dump(mode="json")
