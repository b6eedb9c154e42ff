"""Step Functions state RecordToolResult: stores a tool call's result as files, events and a message for the model."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("record_tool_result")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Record the result of one tool call."""
    del context
    return use_cases().record_tool_result(CallStep.model_validate(event)).model_dump(mode="json")
