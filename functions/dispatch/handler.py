"""State Dispatch: checks a call, prepares its inputs and invokes the runner, which answers the waiting task."""

from typing import Any

import satchel.adapters.json_schema
import satchel.adapters.jwt_signer  # noqa: F401  (both now, while the environment starts, not with the first call)
from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("dispatch")
def handler(event: dict[str, Any], context: object) -> None:
    """Dispatch one call."""
    del context
    use_cases().dispatch_tool(CallStep.model_validate(event))
