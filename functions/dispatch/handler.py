"""Step Functions states Dispatch, Resume, Poll, Input and RecordToolResult: what a tool call needs besides its run."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep

# isort: split
# These adapters are imported only to load them at startup, not during the first call. They come after
# ``satchel.bootstrap``, whose settings of the garbage collector and pydantic apply to later imports only.
import satchel.adapters.json_schema
import satchel.adapters.jwt_signer  # noqa: F401  (see above)


@observed("dispatch")
def handler(event: dict[str, Any], context: object) -> None:
    """Check one tool call and let its runner execute it, ask the user about it, or record the result of a slow tool."""
    del context
    step = CallStep.model_validate(event)
    if step.task_token is None:
        use_cases().record_tool_result(step)
    elif step.asks:
        use_cases().ask_input(step)
    else:
        use_cases().dispatch_tool(step)
