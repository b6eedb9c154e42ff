"""Step Functions state Approval: asks the user to approve a tool call, then waits until the API sends the decision."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("approval")
def handler(event: dict[str, Any], context: object) -> None:
    """Ask the user to approve one tool call."""
    del context
    use_cases().ask_approval(CallStep.model_validate(event))
