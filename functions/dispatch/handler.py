"""Step Functions state Dispatch: checks a tool call and prepares its inputs. The runner then executes the call."""

from typing import Any

import satchel.adapters.json_schema
import satchel.adapters.jwt_signer  # noqa: F401  (these adapters are imported only to load them at startup, not during the first call)
from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("dispatch")
def handler(event: dict[str, Any], context: object) -> None:
    """Dispatch one tool call to its runner, the Lambda function that executes the call."""
    del context
    use_cases().dispatch_tool(CallStep.model_validate(event))
