"""State Dispatch: checks a tool call, prepares its inputs and invokes the runner, which completes the waiting task."""

from typing import Any

import satchel.adapters.json_schema
import satchel.adapters.jwt_signer  # noqa: F401  (both are imported here for speed: at startup, not during the first call)
from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("dispatch")
def handler(event: dict[str, Any], context: object) -> None:
    """Dispatch one tool call to its runner."""
    del context
    use_cases().dispatch_tool(CallStep.model_validate(event))
