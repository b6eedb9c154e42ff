"""Step Functions states Dispatch, Resume, Poll and Input: send a tool call to its runner, or ask the user about it."""

from typing import Any

import satchel.adapters.json_schema
import satchel.adapters.jwt_signer  # noqa: F401  (these adapters are imported only to load them at startup, not during the first call)
from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("dispatch")
def handler(event: dict[str, Any], context: object) -> None:
    """Check one tool call, and let its runner execute it. Or ask the user for an approval, or the call's questions."""
    del context
    step = CallStep.model_validate(event)
    (use_cases().ask_input if step.asks else use_cases().dispatch_tool)(step)
