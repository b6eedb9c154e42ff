"""Step Functions states Approval and Input: ask the user, then wait until the API sends the decision or the answers."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("approval")
def handler(event: dict[str, Any], context: object) -> None:
    """Ask the user to approve one tool call, or to answer its questions."""
    del context
    step = CallStep.model_validate(event)
    ask = use_cases().ask_input if step.asks else use_cases().ask_approval
    ask(step)
